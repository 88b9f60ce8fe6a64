import { lean, text, texts } from "../api/searchParams";

/** Which answers meet; empty for those of all models. */
export interface ArenaSearch {
  benchmark?: string;
  model?: string[];
}

export function arenaSearch(raw: Record<string, unknown>): ArenaSearch {
  return lean({ benchmark: text(raw["benchmark"]), model: texts(raw["model"]).slice(0, 2) });
}
