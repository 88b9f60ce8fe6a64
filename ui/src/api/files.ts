import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { ApiError, api, type Problem, type Schemas, unwrap } from "./client";
import { isLive, type Page, queryClient } from "./queries";

export type Verification = Schemas["VerificationResult"];
export type Validation = Schemas["Validation"];
export type UploadedDataset = Schemas["UploadedDataset"];

/** Sends a form, since a file can be too large for memory; reports progress. */
function send<T>(path: string, form: FormData, onSent?: (share: number) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      onSent?.(total > 0 ? loaded / total : 0),
    );
    request.addEventListener("error", () => reject(new Error("The server does not answer.")));
    request.addEventListener("load", () => {
      if (request.status < 300) return resolve(request.response);
      const problem: (Problem & { validation?: Validation }) | null = request.response;
      const message = problem?.detail ?? `The server answered ${request.status}.`;
      return reject(new UploadError(message, request.status, problem ?? undefined));
    });
    request.send(form);
  });
}

/** A refused file; `validation` says what is wrong with it line by line. */
export class UploadError extends ApiError {
  readonly validation: Validation | undefined;

  constructor(message: string, status: number, problem?: Problem & { validation?: Validation }) {
    super(message, status, problem);
    this.name = "UploadError";
    this.validation = problem?.validation;
  }
}

export function useVerification() {
  return useMutation({
    mutationFn: (file: File) => {
      const form = new FormData();
      form.append("file", file);
      return send<Verification>("/api/exports/verify", form);
    },
  });
}

export const publicKeyQuery = queryOptions({
  queryKey: ["public-key"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/exports/public-key", { signal })),
  staleTime: 60_000,
});

export interface Upload {
  file: File;
  name: string;
  grader: string;
  onSent: (share: number) => void;
}

export function useUpload() {
  return useMutation({
    mutationFn: ({ file, name, grader, onSent }: Upload) => {
      const form = new FormData();
      if (name) form.append("name", name);
      if (grader) form.append("grader", grader);
      form.append("file", file);
      return send<UploadedDataset>("/admin/datasets/upload", form, onSent);
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["datasets"] }),
  });
}

export const datasetsQuery = queryOptions({
  queryKey: ["datasets"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/admin/datasets", { signal })),
});

export function datasetQuery(id: string) {
  return queryOptions({
    queryKey: ["datasets", id],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/admin/datasets/{dataset_id}", { params: { path: { dataset_id: id } }, signal })),
  });
}

/** Lines of a data set from `offset` on, and the warnings of its upload. */
export function datasetPreviewQuery(id: string, page: Page) {
  return queryOptions({
    queryKey: ["datasets", id, "preview", page],
    queryFn: async ({ signal }) => {
      const params = { path: { dataset_id: id }, query: page };
      return unwrap(await api.GET("/admin/datasets/{dataset_id}/preview", { params, signal }));
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const LIVE_MS = 2_000;

/** How models did on a data set; while they do it, what is left changes without an event too. */
export function datasetRunsQuery(id: string) {
  return queryOptions({
    queryKey: ["runs", "dataset", id],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/admin/benchmarks", { params: { query: { dataset_id: id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data?.benchmarks.some(({ state }) => isLive(state)) ? LIVE_MS : false,
  });
}

export function useDeletion() {
  return useMutation({
    mutationFn: async (id: string) =>
      unwrap(await api.DELETE("/admin/datasets/{dataset_id}", { params: { path: { dataset_id: id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["datasets"] }),
  });
}
