import type { Evaluation, Run } from "../api/client";
import { isLive } from "../api/queries";

/** Live runs first: running ones, then the queue in its order. Otherwise as the server sent them; each run once. */
export function liveFirst<T extends Pick<Run, "id" | "status">>(
  running: readonly T[],
  page: readonly T[],
  places: ReadonlyMap<string, number> = new Map(),
): T[] {
  const runs = [...new Map([...running, ...page].map((run) => [run.id, run])).values()];
  const place = ({ id }: T) => places.get(id) ?? Number.MAX_SAFE_INTEGER;
  return runs.toSorted((a, b) => liveRank(a) - liveRank(b) || place(a) - place(b));
}

function liveRank({ status }: Pick<Run, "status">): number {
  if (status === "running") return 0;
  return isLive(status) ? 1 : 2;
}

/** Evaluations of one benchmark side by side, so that the models in it can be read against each other. */
export function byBenchmark<T extends Pick<Evaluation, "model" | "benchmark">>(
  run: Pick<Run, "selected_benchmarks" | "models">,
  evaluations: readonly T[],
): T[] {
  const benchmark = (one: T) => run.selected_benchmarks.indexOf(one.benchmark);
  const model = (one: T) => run.models.indexOf(one.model);
  return evaluations.toSorted((a, b) => benchmark(a) - benchmark(b) || model(a) - model(b));
}

/** Orders the server knows besides its own, which is the newest first; `-` is for the highest first. */
export const SORTS = ["created", "score", "-score", "cost", "-cost", "duration", "-duration"] as const;
export type Sort = (typeof SORTS)[number];

export const ORDERS: readonly { sort: Sort | undefined; label: string }[] = [
  { sort: undefined, label: "Newest first" },
  { sort: "created", label: "Oldest first" },
  { sort: "-score", label: "Best score first" },
  { sort: "score", label: "Worst score first" },
  { sort: "-cost", label: "Most expensive first" },
  { sort: "cost", label: "Cheapest first" },
  { sort: "-duration", label: "Longest first" },
  { sort: "duration", label: "Shortest first" },
];

export type Figure = "created" | "score" | "cost" | "duration";

/** The order after another click on a column: highest first, lowest first, then the server's own again. */
export function nextSort(sort: Sort | undefined, figure: Figure): Sort | undefined {
  if (figure === "created") return sort === "created" ? undefined : "created";
  if (sort === `-${figure}`) return figure;
  return sort === figure ? undefined : `-${figure}`;
}

export function directionOf(sort: Sort | undefined, figure: Figure): "ascending" | "descending" | undefined {
  if (sort === figure) return "ascending";
  const isDown = figure === "created" ? sort === undefined : sort === `-${figure}`;
  return isDown ? "descending" : undefined;
}
