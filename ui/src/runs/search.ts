import type { State } from "../api/client";
import { STATES } from "../ui/StatusMark";

/** What the runs page shows, as it stands in the URL. */
export interface RunsSearch {
  model?: string;
  benchmark?: string;
  status?: State;
  page?: number;
}

/** Keeps what is understood and drops the rest, so that any URL shows something. */
export function runsSearch(raw: Record<string, unknown>): RunsSearch {
  const search: RunsSearch = {};
  const model = text(raw["model"]);
  if (model) search.model = model;
  const benchmark = text(raw["benchmark"]);
  if (benchmark) search.benchmark = benchmark;
  const status = STATES.find((state) => state === raw["status"]);
  if (status) search.status = status;
  const page = Number(raw["page"]);
  if (Number.isInteger(page) && page > 1) search.page = page;
  return search;
}

function text(value: unknown): string {
  // The router reads ?model=4 as a number.
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** The same search with another filter, from its first page. */
export function narrowed(
  search: RunsSearch,
  change: { [Key in "model" | "benchmark" | "status"]?: RunsSearch[Key] | undefined },
): RunsSearch {
  return runsSearch({ ...search, page: undefined, ...change });
}
