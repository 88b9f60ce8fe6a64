import { useMutation } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";
import { invalidateRun, queryClient } from "./queries";

export type Action = "cancel" | "pause" | "resume" | "retry" | "requeue";

async function act(runId: string, action: Action): Promise<unknown> {
  const params = { path: { run_id: runId } };
  if (action === "cancel") return unwrap(await api.POST("/api/runs/{run_id}/cancel", { params }));
  if (action === "pause") return unwrap(await api.POST("/api/runs/{run_id}/pause", { params }));
  if (action === "resume") return unwrap(await api.POST("/api/runs/{run_id}/resume", { params }));
  if (action === "requeue") return unwrap(await api.POST("/api/runs/{run_id}/requeue", { params }));
  return unwrap(await api.POST("/api/runs/{run_id}/retry", { params }));
}

function refresh(runId: string) {
  invalidateRun(runId);
  for (const queryKey of [["runs"], ["status"], ["overview"]]) {
    void queryClient.invalidateQueries({ queryKey });
  }
}

/** What a user does with a live run. */
export function useRunAction(runId: string) {
  return useMutation({ mutationFn: (action: Action) => act(runId, action), onSettled: () => refresh(runId) });
}

export function useRunChange(runId: string) {
  return useMutation({
    mutationFn: async (body: Schemas["RunChange"]) =>
      unwrap(await api.PATCH("/api/runs/{run_id}", { params: { path: { run_id: runId } }, body })),
    onSettled: () => refresh(runId),
  });
}
