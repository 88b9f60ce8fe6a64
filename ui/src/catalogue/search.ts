import { lean, oneOf, text } from "../api/searchParams";

export interface ModelsSearch {
  provider?: string;
  q?: string;
  /** Whether models that their provider no longer lists are shown too. */
  inactive?: "yes";
}

export function modelsSearch(raw: Record<string, unknown>): ModelsSearch {
  return lean({
    provider: text(raw["provider"]),
    q: text(raw["q"]),
    inactive: oneOf(raw["inactive"], ["yes"] as const),
  });
}

export interface BenchmarksSearch {
  q?: string;
}

export function benchmarksSearch(raw: Record<string, unknown>): BenchmarksSearch {
  return lean({ q: text(raw["q"]) });
}
