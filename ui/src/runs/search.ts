import type { State } from "../api/client";
import { oneOf, text, texts } from "../api/searchParams";
import { STATES } from "../ui/StatusMark";
import { SORTS, type Sort } from "./order";

/** What the runs page shows, as it stands in the URL. */
export interface RunsSearch {
  model?: string;
  benchmark?: string;
  status?: State;
  page?: number;
  sort?: Sort;
  /** Runs chosen for comparison. */
  pick?: string[];
}

/** Keeps what is understood and drops the rest, so that any URL shows something. */
export function runsSearch(raw: Record<string, unknown>): RunsSearch {
  const search: RunsSearch = {};
  const model = text(raw["model"]);
  if (model) search.model = model;
  const benchmark = text(raw["benchmark"]);
  if (benchmark) search.benchmark = benchmark;
  const status = oneOf(raw["status"], STATES);
  if (status) search.status = status;
  const page = Number(raw["page"]);
  if (Number.isInteger(page) && page > 1) search.page = page;
  const sort = oneOf(raw["sort"], SORTS);
  if (sort) search.sort = sort;
  const pick = texts(raw["pick"]);
  if (pick.length > 0) search.pick = pick;
  return search;
}

/** The same search with another filter, from its first page. */
export function narrowed(
  search: RunsSearch,
  change: { [Key in "model" | "benchmark" | "status" | "sort"]?: RunsSearch[Key] | undefined },
): RunsSearch {
  return runsSearch({ ...search, page: undefined, ...change });
}
