import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";

export type LoadTest = Schemas["LoadTest"];
export type LoadTestDetail = Schemas["LoadTestDetail"];
export type LoadLevel = Schemas["LoadLevel"];
export type LoadSpec = Schemas["LoadSpec"];

const PAGE = 50;

export const loadTestsQuery = infiniteQueryOptions({
  queryKey: ["load-tests"],
  queryFn: async ({ signal, pageParam }) =>
    unwrap(
      await api.GET("/api/load-tests", { params: { query: { limit: PAGE, offset: pageParam } }, signal }),
    ),
  initialPageParam: 0,
  getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
});

export function loadTestQuery(id: string) {
  return queryOptions({
    queryKey: ["load-tests", id],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/load-tests/{test_id}", { params: { path: { test_id: id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
