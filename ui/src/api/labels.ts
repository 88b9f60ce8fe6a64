import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";
import { invalidateRun } from "./queries";

export type Label = Schemas["Label"];
export const LABEL_NAMES: Record<Label, string> = { golden: "Golden", fix: "Needs a fix", wrong: "Wrong" };
export type Annotation = Schemas["Annotation"];

/** What people say of a run's answers. */
export function labelsQuery(runId: string) {
  return queryOptions({
    queryKey: ["run", runId, "labels"],
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET("/api/runs/{run_id}/annotations", { params: { path: { run_id: runId } }, signal }),
      ),
    staleTime: 10_000,
  });
}

export function useLabel(runId: string) {
  return useMutation({
    mutationFn: async (body: Schemas["AnnotationRequest"]) =>
      unwrap(await api.POST("/api/runs/{run_id}/annotations", { params: { path: { run_id: runId } }, body })),
    onSettled: () => invalidateRun(runId),
  });
}

export function useUnlabel(runId: string) {
  return useMutation({
    mutationFn: async (id: number) => {
      const params = { path: { run_id: runId, annotation_id: id } };
      return unwrap(await api.DELETE("/api/runs/{run_id}/annotations/{annotation_id}", { params }));
    },
    onSettled: () => invalidateRun(runId),
  });
}

export type Judgement = Schemas["Judgement"];
export type Agreement = Schemas["Agreement"];

/** Later gradings of a run's stored answers, each beside the first one. */
export function judgementsQuery(runId: string) {
  return queryOptions({
    queryKey: ["run", runId, "judgements"],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/runs/{run_id}/judgements", { params: { path: { run_id: runId } }, signal })),
    staleTime: 10_000,
  });
}

/** Grades the stored answers again; the server answers when all are graded. */
export function useJudge(runId: string) {
  return useMutation({
    mutationFn: async (body: Schemas["JudgementRequest"]) =>
      unwrap(await api.POST("/api/runs/{run_id}/judgements", { params: { path: { run_id: runId } }, body })),
    onSettled: () => invalidateRun(runId),
  });
}
