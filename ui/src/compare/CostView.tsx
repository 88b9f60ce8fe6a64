import { useQueries } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { runQuery } from "../api/queries";
import { type CostPoint, ParetoScatter } from "../charts/ParetoScatter";
import { EmptyState } from "../ui/EmptyState";
import { Notice } from "../ui/Notice";

/** What each score has cost; evaluations without a known price cannot take part. */
export default function CostView({ sides }: { sides: readonly Schemas["Side"][] }) {
  const ids = [...new Set(sides.map(({ run_id }) => run_id))];
  const runs = useQueries({ queries: ids.map((id) => runQuery(id)) });
  const evaluations = new Map(
    runs.flatMap(({ data }) => data?.evaluations ?? []).map((one) => [one.id, one]),
  );
  const points = sides.flatMap(({ evaluation_id: id, model, score }): CostPoint[] => {
    const cost = evaluations.get(id)?.cost_usd;
    return cost && score ? [{ id, label: model, cost, score: score.value, interval: score.interval }] : [];
  });
  const left = sides.length - points.length;
  if (runs.some(({ isPending }) => isPending)) return null;
  if (points.length === 0) {
    return (
      <EmptyState title="No known costs">
        <p>The endpoints of these models publish no price, so their cost is unknown.</p>
      </EmptyState>
    );
  }
  return (
    <>
      {left > 0 ? (
        <Notice tone="gold">{`${left} of ${sides.length} evaluations have no known cost and are left out.`}</Notice>
      ) : null}
      <ParetoScatter points={points} />
    </>
  );
}
