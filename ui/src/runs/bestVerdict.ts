import type { EvaluationDetail, Schemas } from "../api/client";

type Comparison = Schemas["Comparison"];

/**
 * The comparison that says most: of the two best models on a benchmark, and of those on several benchmarks
 * the first that is decided.
 */
export function bestVerdict(
  comparisons: readonly Comparison[],
  evaluations: readonly Pick<EvaluationDetail, "id" | "score">[],
): Comparison | undefined {
  const scores = new Map(evaluations.map(({ id, score }) => [id, score?.value ?? -1]));
  const scoreOf = ({ evaluation_id }: Schemas["Side"]) => scores.get(evaluation_id) ?? -1;
  const benchmarks = Map.groupBy(comparisons, ({ ours }) => ours.benchmark);
  const leading = [...benchmarks.values()].flatMap((pairs) =>
    pairs
      .toSorted((a, b) => scoreOf(b.ours) + scoreOf(b.theirs) - scoreOf(a.ours) - scoreOf(a.theirs))
      .slice(0, 1),
  );
  return leading.find(({ statistics }) => isDecided(statistics)) ?? leading[0];
}

function isDecided(statistics: Comparison["statistics"]): boolean {
  return statistics?.verdict === "better" || statistics?.verdict === "worse";
}
