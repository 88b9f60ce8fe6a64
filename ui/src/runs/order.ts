import type { Evaluation, Run } from "../api/client";
import { isLive } from "../api/queries";

/** Live runs first, running before queued; otherwise as the server sent them. Each run once. */
export function liveFirst<T extends Pick<Run, "id" | "status">>(
  running: readonly T[],
  page: readonly T[],
): T[] {
  const runs = [...new Map([...running, ...page].map((run) => [run.id, run])).values()];
  return runs.toSorted((a, b) => liveRank(a) - liveRank(b));
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

export const SORTS = ["score", "cost", "duration"] as const;
export type Sort = (typeof SORTS)[number];

type Sortable = Pick<Run, "cost_usd" | "started_at" | "completed_at"> & {
  evaluations: readonly Pick<Evaluation, "score">[];
};

/** Highest first; runs without the figure come last. */
export function bySort<T extends Sortable>(runs: readonly T[], sort: Sort): T[] {
  const figures = new Map(runs.map((run) => [run, figure(run, sort)]));
  const of = (run: T) => figures.get(run) ?? Number.NEGATIVE_INFINITY;
  return runs.toSorted((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)));
}

function figure(run: Sortable, sort: Sort): number | undefined {
  if (sort === "cost") return run.cost_usd ?? undefined;
  if (sort === "score") {
    const scores = run.evaluations.flatMap(({ score }) => (score ? [score.value] : []));
    return scores.length > 0 ? Math.max(...scores) : undefined;
  }
  if (!run.started_at || !run.completed_at) return undefined;
  return Date.parse(run.completed_at) - Date.parse(run.started_at);
}
