import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { runQuery } from "../api/queries";
import { EvaluationPictures } from "./EvaluationPictures";

const route = getRouteApi("/runs/$runId/charts");

/** The evaluations of one run in pictures. */
export function RunCharts() {
  const { runId } = route.useParams();
  const { data } = useQuery(runQuery(runId));
  if (!data) return null;
  return <EvaluationPictures of={data.evaluations.map((evaluation) => ({ runId: data.id, evaluation }))} />;
}
