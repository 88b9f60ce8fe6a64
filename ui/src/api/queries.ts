import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from "@tanstack/react-query";
import type { Sort } from "../runs/order";
import { ApiError, api, type Outcome, type Schemas, type State, unwrap } from "./client";

export const ADMIN_SECRET = "admin-secret";
const RETRIES = 2;
const STALE_MS = 1_000;
const HEARTBEAT_MS = 10_000;
const OVERVIEW_MS = 3_000;

/** `events.ts` keeps these queries fresh; only what no event reports is polled. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Retry only without a response: the server would send the same error again.
      retry: (failures, error) => !(error instanceof ApiError) && failures < RETRIES,
      staleTime: STALE_MS,
    },
  },
});

/** What is known of a run, whether the page names it in full or by the beginning of its id. */
export function invalidateRun(runId: string) {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [kind, named] }) => kind === "run" && isNamedBy(named, runId),
  });
}

export function isNamedBy(named: unknown, runId: string): boolean {
  return typeof named === "string" && named !== "" && runId.startsWith(named);
}

export function isLive(state: State): boolean {
  return state === "running" || state === "queued";
}

export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/status", { signal })),
  refetchInterval: HEARTBEAT_MS,
});

export const benchmarksQuery = queryOptions({
  queryKey: ["benchmarks"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/benchmarks", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/models", { signal })),
  staleTime: 60_000,
});

/** Built-in and registered models whose name has this part. */
export function foundModelsQuery(search: string) {
  return queryOptions({
    queryKey: ["models", "found", search],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/models", { params: { query: { search, limit: 100 } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

export interface KnownFilter {
  search: string;
  provider: string | undefined;
  with_inactive: boolean;
}

/** Built-in and registered models, also those that are not offered any more. */
export function knownModelsQuery(filter: KnownFilter) {
  return queryOptions({
    queryKey: ["models", "known", filter],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/models", { params: { query: { ...defined(filter), limit: 200 } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

/** The models of one endpoint, which is asked at that moment. */
export function servedModelsQuery(prefix: string, search: string) {
  return queryOptions({
    queryKey: ["models", prefix, search],
    queryFn: async ({ signal }) => {
      const query = search ? { search, limit: 100 } : { limit: 100 };
      const path = { prefix: prefix.replace(/\/$/, "") };
      return unwrap(await api.GET("/api/models/{prefix}", { params: { path, query }, signal }));
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
}

/** Workers, the queue, and what the runs in it can expect. */
export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  // The time series is not shown here; half an hour is the shortest range.
  queryFn: async ({ signal }) =>
    unwrap(await api.GET("/api/ops/overview", { params: { query: { minutes: 30 } }, signal })),
  refetchInterval: OVERVIEW_MS,
});

export interface RunFilter {
  status?: State | undefined;
  model_slug?: string | undefined;
  benchmark?: string | undefined;
  /** Words of ids, models, benchmarks, names and tags. */
  search?: string | undefined;
  tag?: string | undefined;
  is_archived?: boolean | undefined;
  sort?: Sort | undefined;
  limit: number;
  offset?: number;
}

export function runsQuery(filter: RunFilter) {
  return queryOptions({
    queryKey: ["runs", filter],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/runs", { params: { query: defined(filter) }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function runQuery(runId: string) {
  return queryOptions({
    queryKey: ["run", runId],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/runs/{run_id}", { params: { path: { run_id: runId } }, signal })),
  });
}

export interface ItemFilter {
  model: string;
  outcome?: Outcome[] | undefined;
  search?: string | undefined;
  sort?: "item" | "score" | "duration" | "-score" | "-duration" | undefined;
  reveal?: boolean | undefined;
  category?: string[] | undefined;
  label?: (Schemas["Label"] | "none")[] | undefined;
  min_tokens?: number | undefined;
  max_tokens?: number | undefined;
  min_ms?: number | undefined;
  max_ms?: number | undefined;
  per_item?: boolean | undefined;
}

export function itemsQuery(runId: string, benchmark: string, filter: ItemFilter, page: Page) {
  return queryOptions({
    queryKey: ["run", runId, "items", benchmark, filter, page],
    queryFn: async ({ signal }) => {
      const query = { ...defined(filter), ...page, summary: false, brief: true };
      const params = { path: { run_id: runId, name: benchmark }, query, header: adminHeader() };
      return unwrap(await api.GET("/api/runs/{run_id}/benchmarks/{name}", { params, signal }));
    },
    placeholderData: keepPreviousData,
  });
}

export interface Page {
  limit: number;
  offset: number;
}

export interface ItemKey {
  benchmark: string;
  model: string;
  itemId: string;
  /** Texts of a gated benchmark in plain, for those who may see them. */
  reveal?: boolean;
}

export function itemQuery(runId: string, { benchmark, model, itemId, reveal = false }: ItemKey) {
  return queryOptions({
    queryKey: ["run", runId, "item", benchmark, model, itemId, reveal],
    queryFn: async ({ signal }) => {
      const asked = { run_id: runId, name: benchmark, item_id: itemId };
      const params = { path: asked, query: { model, reveal }, header: adminHeader() };
      const path = "/api/runs/{run_id}/benchmarks/{name}/items/{item_id}";
      return unwrap(await api.GET(path, { params, signal }));
    },
  });
}

export function latencyQuery(runId: string, benchmark: string, model: string) {
  return queryOptions({
    queryKey: ["run", runId, "latency", benchmark, model],
    queryFn: async ({ signal }) => {
      const params = { path: { run_id: runId, name: benchmark }, query: { model } };
      return unwrap(await api.GET("/api/runs/{run_id}/benchmarks/{name}/latency", { params, signal }));
    },
  });
}

/** How often answers were right, by the confidence that was stated with them. */
export function calibrationQuery(runId: string, benchmark: string, model: string) {
  return queryOptions({
    queryKey: ["run", runId, "calibration", benchmark, model],
    queryFn: async ({ signal }) => {
      const params = { path: { run_id: runId, name: benchmark }, query: { model } };
      return unwrap(await api.GET("/api/runs/{run_id}/benchmarks/{name}/calibration", { params, signal }));
    },
  });
}

export type ItemChoice = "disagree" | "only_first" | "all_wrong" | "all";

export interface CompareFilter {
  run?: string[];
  evaluation?: string[];
  items?: ItemChoice;
  limit?: number;
  cursor?: string;
}

export function compareQuery(query: CompareFilter) {
  return queryOptions({
    queryKey: ["compare", query],
    queryFn: async ({ signal }): Promise<Schemas["ComparisonResult"]> =>
      unwrap(await api.GET("/api/compare", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
}

const COMPARED_PAGE = 200;

/** Items of evaluations of one benchmark, page by page. */
export function compareItemsQuery(sides: readonly Schemas["Side"][], items: ItemChoice) {
  const run = [...new Set(sides.map(({ run_id }) => run_id))];
  const evaluation = sides.map(({ evaluation_id }) => evaluation_id);
  const first: string | null = null;
  return infiniteQueryOptions({
    queryKey: ["compare", "items", evaluation, items],
    queryFn: async ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | null }) => {
      const query = {
        run,
        evaluation,
        items,
        limit: COMPARED_PAGE,
        ...(pageParam ? { cursor: pageParam } : {}),
      };
      return unwrap(await api.GET("/api/compare", { params: { query }, signal }));
    },
    initialPageParam: first,
    getNextPageParam: (page: Schemas["ComparisonResult"]) => page.items?.next_cursor ?? null,
    staleTime: 10_000,
  });
}

export function leaderboardQuery(benchmark: string) {
  return queryOptions({
    queryKey: ["leaderboard", benchmark],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/leaderboard", { params: { query: { benchmark } }, signal })),
    staleTime: 10_000,
  });
}

/** The operator's secret, where it was given in this tab. */
function adminHeader(): { "X-Admin-Secret"?: string } {
  const secret = sessionStorage.getItem(ADMIN_SECRET);
  return secret ? { "X-Admin-Secret": secret } : {};
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Without the entries that are undefined, which the types of the API do not know. */
export function defined<T extends object>(values: T): Defined<T> {
  const kept: Partial<T> = { ...values };
  for (const key of Object.keys(kept)) {
    if (Reflect.get(kept, key) === undefined) Reflect.deleteProperty(kept, key);
  }
  // @ts-expect-error -- what was undefined is gone, which the compiler cannot follow
  return kept;
}
