import { useQueries } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { runQuery } from "../api/queries";
import { EvaluationPictures, type Pictured } from "../pictures/EvaluationPictures";

/** The compared evaluations of one benchmark in pictures. */
export default function ChartsView({ sides }: { sides: readonly Schemas["Side"][] }) {
  const ids = [...new Set(sides.map(({ run_id }) => run_id))];
  const runs = useQueries({ queries: ids.map((id) => runQuery(id)) });
  if (runs.some(({ isPending }) => isPending)) return null;
  const found = runs.flatMap(({ data }) => data?.evaluations ?? []);
  const pictured = sides.flatMap(({ run_id, evaluation_id }): Pictured[] => {
    const evaluation = found.find(({ id }) => id === evaluation_id);
    return evaluation ? [{ runId: run_id, evaluation }] : [];
  });
  return <EvaluationPictures of={pictured} />;
}
