import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { CODE_CATALOGUE } from "./codeCatalogue";
import { ApiError, api, type Schemas, unwrap } from "./client";
import { queryClient } from "./queries";

export type CodeTask = Schemas["CodeTask"];
export type CodeRunRequest = Schemas["HarnessRunRequest"];
export type CodeBoard = Schemas["HarnessBoard"];
export type CodeRow = Schemas["HarnessRow"];
export type CodeResults = Schemas["CodeRunResults"];
export type CodeStatus = NonNullable<CodeResults["tasks"][number]["statuses"][number][number]>;

export const BASE_LEVEL = "base";
const TOKEN = "benchmark-token";

const LANGUAGES: Record<string, string> = {
  cpp: "C++",
  go: "Go",
  html: "HTML",
  javascript: "JavaScript",
  python: "Python",
  rust: "Rust",
};

export function languageName(language: string): string {
  return LANGUAGES[language] ?? language;
}

export const codeTasksQuery = queryOptions({
  queryKey: ["code-tasks"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/code/tasks", { signal })),
  staleTime: 60_000,
});

/** The attempts of a run by task and model; events of the run refresh it. */
export function codeResultsQuery(runId: string) {
  return queryOptions({
    queryKey: ["run", runId, "code"],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/code/runs/{run_id}", { params: { path: { run_id: runId } }, signal })),
  });
}

export const codeBoardsQuery = queryOptions({
  queryKey: ["leaderboard", CODE_CATALOGUE, "boards"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/leaderboard", { signal })),
  placeholderData: keepPreviousData,
  staleTime: 10_000,
});

/** What OpenRouter's list says about a model. */
export function capabilitiesQuery(model: string) {
  return queryOptions({
    queryKey: ["models", "capabilities", model],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/models/capabilities", { params: { query: { model_id: model } }, signal })),
    staleTime: 60_000,
    retry: false,
  });
}

export const lmStudioQuery = queryOptions({
  queryKey: ["models", "lmstudio", "installed"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/models/lmstudio", { signal })),
  staleTime: 10_000,
  retry: false,
});

export function useLmStudioSwitch() {
  return useMutation({
    mutationFn: async (model: string) =>
      unwrap(await api.POST("/models/lmstudio/switch", { body: { model_id: model }, ...authorized() })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: lmStudioQuery.queryKey }),
  });
}

export function useStartCodeRun() {
  return useMutation({
    mutationFn: async (body: CodeRunRequest) => unwrap(await api.POST("/runs", { body, ...authorized() })),
    onSuccess: () => {
      for (const queryKey of [["runs"], ["status"]]) void queryClient.invalidateQueries({ queryKey });
    },
  });
}

/** Makes one attempt again; the server refuses one with a verdict. */
export function useAttemptRetry(runId: string) {
  return useMutation({
    mutationFn: async ({ item, sample }: { item: Schemas["ItemDetail"]; sample: number }) => {
      const body = {
        task_id: item.item_id,
        model: item.model,
        sample_index: sample,
        thinking_level: levelIn(item.benchmark),
      };
      const params = { path: { run_id: runId } };
      return unwrap(await api.POST("/runs/{run_id}/retry-single", { params, body, ...authorized() }));
    },
    onSettled: () => {
      for (const queryKey of [["run", runId], ["runs"]]) void queryClient.invalidateQueries({ queryKey });
    },
  });
}

/** The thinking level in the name of a benchmark, such as `code_catalogue:include-tests+thinking=high`. */
export function levelIn(benchmark: string): string {
  const level = (benchmark.split(":")[1] ?? "")
    .split("+")
    .find((option) => option.startsWith("thinking="))
    ?.slice("thinking=".length);
  return level ?? BASE_LEVEL;
}

/** Deletes the runs behind a row of a board. */
export function useRowRemoval(board: string) {
  return useMutation({
    mutationFn: async ({ model_id: model, thinking_level }: CodeRow) => {
      const params = { path: { model }, query: { thinking_level, board } };
      return unwrap(await api.DELETE("/leaderboard/{model}", { params, ...authorized() }));
    },
    onSettled: () => {
      for (const queryKey of [["leaderboard"], ["runs"]]) void queryClient.invalidateQueries({ queryKey });
    },
  });
}

/** Whether a call was refused because the server wants its benchmark token. */
export function needsToken(error: Error | null): boolean {
  return error instanceof ApiError && error.problem?.code === "benchmark-token-needed";
}

/** Kept until the tab is closed. */
export function keepToken(token: string) {
  if (token) sessionStorage.setItem(TOKEN, token);
  else sessionStorage.removeItem(TOKEN);
}

function authorized(): { headers?: { Authorization: string } } {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { headers: { Authorization: `Bearer ${token}` } } : {};
}
