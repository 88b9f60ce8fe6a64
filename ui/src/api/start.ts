import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { api, type RunRequest, unwrap } from "./client";
import { queryClient } from "./queries";

export function estimateQuery(request: RunRequest) {
  return queryOptions({
    queryKey: ["estimate", request],
    queryFn: async ({ signal }) => unwrap(await api.POST("/api/runs/estimate", { body: request, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
}

/** What the run needs, and whether it is there. */
export function preflightQuery(request: RunRequest) {
  return queryOptions({
    queryKey: ["preflight", request],
    queryFn: async ({ signal }) => unwrap(await api.POST("/api/runs/preflight", { body: request, signal })),
    placeholderData: keepPreviousData,
    staleTime: 15_000,
    retry: false,
  });
}

export function sampleSizeQuery(query: { benchmark: string; difference: number; data: "official" | "demo" }) {
  return queryOptions({
    queryKey: ["sample-size", query],
    queryFn: async ({ signal }) => unwrap(await api.GET("/api/sample-size", { params: { query }, signal })),
    staleTime: 60_000,
    retry: false,
  });
}

/** Starts a run; pressed twice, it still starts one. */
export function useStartRun() {
  return useMutation({
    mutationFn: async ({ request, key }: { request: RunRequest; key: string }) =>
      unwrap(await api.POST("/api/runs", { body: request, params: { header: { "idempotency-key": key } } })),
    onSuccess: (run) => {
      queryClient.setQueryData(["run", run.id], run);
      void queryClient.invalidateQueries({ queryKey: ["runs"] });
      void queryClient.invalidateQueries({ queryKey: ["status"] });
    },
  });
}
