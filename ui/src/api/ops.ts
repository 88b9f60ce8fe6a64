import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";

export type SandboxBackend = Schemas["SandboxBackend"];

/** Where code of models can run; the server tries it once a minute. */
export const sandboxQuery = queryOptions({
  queryKey: ["sandbox"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/ops/sandbox", { signal })),
  staleTime: 60_000,
});

/** How busy the installation was, minute by minute. */
export function activityQuery(minutes: number) {
  return queryOptions({
    queryKey: ["activity", minutes],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/ops/overview", { params: { query: { minutes } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
}
