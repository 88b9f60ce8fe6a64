import { useSyncExternalStore } from "react";
import { filterOf, type RunsSearch, runsSearch } from "../search";

export interface SavedFilter {
  name: string;
  search: RunsSearch;
}

const KEY = "run-filters";
const MOST = 30;
const watchers = new Set<() => void>();
let known: { text: string | null; filters: readonly SavedFilter[] } = { text: null, filters: [] };

/** What is stored may be of another version, or written by hand: only what is understood is kept. */
export function filtersFrom(text: string | null): SavedFilter[] {
  const raw: unknown = parsed(text);
  if (!Array.isArray(raw)) return [];
  return raw
    .flatMap((one: unknown) => {
      if (!isRecord(one) || typeof one["name"] !== "string" || !isRecord(one["search"])) return [];
      return [{ name: one["name"], search: filterOf(runsSearch(one["search"])) }];
    })
    .slice(0, MOST);
}

/** With this one; it takes the place of one of the same name. */
export function withFilter(filters: readonly SavedFilter[], added: SavedFilter): SavedFilter[] {
  return [...filters.filter(({ name }) => name !== added.name), added]
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .slice(0, MOST);
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function stored(): readonly SavedFilter[] {
  const text = localStorage.getItem(KEY);
  if (text !== known.text) known = { text, filters: filtersFrom(text) };
  return known.filters;
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  addEventListener("storage", changed);
  return () => {
    watchers.delete(changed);
    removeEventListener("storage", changed);
  };
}

function keep(filters: readonly SavedFilter[]) {
  localStorage.setItem(KEY, JSON.stringify(filters));
  for (const changed of watchers) changed();
}

/** The reader's filters, kept in this browser. */
export function useSavedFilters() {
  const filters = useSyncExternalStore(watch, stored);
  return {
    filters,
    save: (added: SavedFilter) => keep(withFilter(filters, added)),
    remove: (name: string) => keep(filters.filter((one) => one.name !== name)),
  };
}
