import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";

export type Fidelity = Schemas["Fidelity"];
export type FidelityCandidate = Schemas["FidelityCandidate"];
export type FidelityFacts = Schemas["FidelityFacts"];
export type EquivalenceTest = Schemas["EquivalenceTest"];

/** Every other model of a run against one of them; the server reads every attempt for it. */
export function fidelityQuery(runId: string, { margin, reference }: { margin: number; reference?: string }) {
  const query = { margin, ...(reference ? { reference } : {}) };
  return queryOptions({
    queryKey: ["run", runId, "fidelity", query],
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET("/api/runs/{run_id}/fidelity", { params: { path: { run_id: runId }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}
