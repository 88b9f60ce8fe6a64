import { keepPreviousData, QueryClient, queryOptions } from "@tanstack/react-query";
import { ApiError, api, type State, unwrap } from "./client";

const LIVE_MS = 2_000;
const IDLE_MS = 10_000;
const RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server has answered does not get better by asking again; only silence is worth another try.
      retry: (failures, error) => !(error instanceof ApiError) && failures < RETRIES,
      staleTime: LIVE_MS / 2,
    },
  },
});

export function isLive(state: State): boolean {
  return state === "running" || state === "queued";
}

function refreshMs(live: boolean | undefined): number {
  return live ? LIVE_MS : IDLE_MS;
}

export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/status", { signal })),
  refetchInterval: ({ state: { data } }) => refreshMs(data && data.running + data.queued > 0),
});

export const benchmarksQuery = queryOptions({
  queryKey: ["benchmarks"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/benchmarks", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

export interface RunFilter {
  status?: State | undefined;
  model_slug?: string | undefined;
  benchmark?: string | undefined;
  limit: number;
  offset?: number;
}

export function runsQuery(filter: RunFilter) {
  return queryOptions({
    queryKey: ["runs", filter],
    queryFn: async ({ signal }) => {
      const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      return unwrap(await api.GET("/api/runs", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => refreshMs(data?.runs.some((run) => isLive(run.status))),
  });
}

export function runQuery(runId: string) {
  return queryOptions({
    queryKey: ["run", runId],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/runs/{run_id}", { params: { path: { run_id: runId } }, signal })),
    refetchInterval: ({ state: { data } }) => refreshMs(data && isLive(data.status)),
  });
}
