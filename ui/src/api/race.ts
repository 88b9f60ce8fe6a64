import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";

export type Contest = Schemas["RaceContest"];
export type StopSettings = Schemas["StopSettings"];

/** What a run with a stopping rule has settled so far. */
export function raceQuery(runId: string) {
  return queryOptions({
    queryKey: ["run", runId, "race"],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/runs/{run_id}/race", { params: { path: { run_id: runId } }, signal })),
  });
}
