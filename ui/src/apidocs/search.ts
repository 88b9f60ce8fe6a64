import { lean, text } from "../api/searchParams";

export interface ApiDocsSearch {
  q?: string;
}

export function apiDocsSearch(raw: Record<string, unknown>): ApiDocsSearch {
  return lean({ q: text(raw["q"]) });
}
