import { lean, text } from "../api/searchParams";

export interface ModelsSearch {
  provider?: string;
  q?: string;
}

export function modelsSearch(raw: Record<string, unknown>): ModelsSearch {
  return lean({ provider: text(raw["provider"]), q: text(raw["q"]) });
}
