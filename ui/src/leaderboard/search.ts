import { lean, oneOf, text } from "../api/searchParams";

export const VIEWS = ["ranking", "cost"] as const;

export interface LeaderboardSearch {
  benchmark?: string;
  view?: (typeof VIEWS)[number];
  q?: string;
}

export function leaderboardSearch(raw: Record<string, unknown>): LeaderboardSearch {
  return lean({
    benchmark: text(raw["benchmark"]),
    view: oneOf(raw["view"], VIEWS),
    q: text(raw["q"]),
  });
}
