import type { State } from "../api/client";
import { oneOf, text, texts } from "../api/searchParams";
import { STATES } from "../ui/StatusMark";
import { SORTS, type Sort } from "./order";

/** What the runs page shows, as it stands in the URL. */
export interface RunsSearch {
  /** Words of ids, models, benchmarks, names and tags. */
  q?: string;
  model?: string;
  benchmark?: string;
  tag?: string;
  status?: State;
  /** Only archived runs, which are left out otherwise. */
  archived?: true;
  page?: number;
  sort?: Sort;
  /** Runs chosen for what is done with several. */
  pick?: string[];
}

const TEXTS = ["q", "model", "benchmark", "tag"] as const;

/** Keeps what is understood and drops the rest, so that any URL shows something. */
export function runsSearch(raw: Record<string, unknown>): RunsSearch {
  const search: RunsSearch = {};
  for (const name of TEXTS) {
    const value = text(raw[name]);
    if (value) search[name] = value;
  }
  const status = oneOf(raw["status"], STATES);
  if (status) search.status = status;
  if (raw["archived"] === true || raw["archived"] === "true") search.archived = true;
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
  change: { [Key in Exclude<keyof RunsSearch, "page" | "pick">]?: RunsSearch[Key] | undefined },
): RunsSearch {
  return runsSearch({ ...search, page: undefined, ...change });
}

/** The part of a search that can be saved: which runs, and in what order. */
export function filterOf({ page: _page, pick: _pick, ...filter }: RunsSearch): RunsSearch {
  return filter;
}

export function isFiltered(search: RunsSearch): boolean {
  const { sort: _sort, ...filter } = filterOf(search);
  return Object.keys(filter).length > 0;
}
