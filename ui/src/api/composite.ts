import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";

export type ModelComposite = Schemas["ModelCompositeScore"];
export type CompositePart = Schemas["CompositePart"];

/** The composite score of each model of a run; the server reads every attempt for it. */
export function compositeQuery(runId: string) {
  return queryOptions({
    queryKey: ["run", runId, "composite"],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/runs/{run_id}/composite", { params: { path: { run_id: runId } }, signal })),
    staleTime: 60_000,
  });
}
