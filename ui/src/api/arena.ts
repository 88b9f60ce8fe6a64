import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";
import { queryClient } from "./queries";

export type ArenaPair = Schemas["ArenaPair"];
export type ArenaStanding = Schemas["ArenaStanding"];
export type Winner = Schemas["VoteRequest"]["winner"];

/** Two answers to vote on; asked anew only when the reader wants the next ones. */
export function pairQuery(wanted: { benchmark?: string; model?: string[] }) {
  return queryOptions({
    queryKey: ["arena", "pair", wanted],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET("/api/arena/pair", { params: { query: wanted }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  });
}

export const arenaQuery = queryOptions({
  queryKey: ["arena", "leaderboard"],
  queryFn: async ({ signal }) => unwrap(await api.GET("/api/arena/leaderboard", { signal })),
});

/** Stores a vote; the answer names the models. */
export function useVote() {
  return useMutation({
    mutationFn: async (body: { pair: string; winner: Winner }) =>
      unwrap(await api.POST("/api/arena/vote", { body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: arenaQuery.queryKey }),
  });
}
