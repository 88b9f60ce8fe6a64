import { lean, oneOf, text } from "../api/searchParams";

export const VIEWS = ["ranking", "cost", "history"] as const;
export const SOURCES = ["official", "demo"] as const;
export type Source = (typeof SOURCES)[number];

export interface LeaderboardSearch {
  benchmark?: string;
  view?: (typeof VIEWS)[number];
  data?: Source;
  /** Whose scores are shown over time. */
  model?: string;
  q?: string;
}

export function leaderboardSearch(raw: Record<string, unknown>): LeaderboardSearch {
  return lean({
    benchmark: text(raw["benchmark"]),
    view: oneOf(raw["view"], VIEWS),
    data: oneOf(raw["data"], SOURCES),
    q: text(raw["q"]),
    model: text(raw["model"]),
  });
}
