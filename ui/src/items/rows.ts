import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { EvaluationDetail, ItemResult } from "../api/client";
import { type ItemFilter, itemsQuery } from "../api/queries";
import { useReveal } from "../api/reveal";
import { useDebounced } from "../ui/debounced";
import type { ItemsSearch } from "./search";

const PAGE = 100;
const TYPING_MS = 60;

/** The rows of a list that is filtered and sorted by the server, of which only the part in sight is loaded. */
export interface ItemRows {
  total: number | undefined;
  /** Whether there are more than `total`; a search counts only so far. */
  hasMore: boolean;
  /** Undefined where the row is not loaded. */
  at: (index: number) => ItemResult | undefined;
  /** The index of an attempt, if it is among the loaded ones. */
  placeOf: (itemId: string, sample: number) => number | undefined;
  show: (first: number, last: number) => void;
  isLoading: boolean;
  /** Whether the rows are still those of the list before. */
  isStale: boolean;
  isMasked: boolean;
  /** Of all items of the evaluation; empty where they have none. */
  categories: readonly string[];
  error: Error | null;
}

export function useItemRows(runId: string, evaluation: EvaluationDetail, search: ItemsSearch): ItemRows {
  const [reveal] = useReveal(runId);
  const [pages, setPages] = useState<readonly [first: number, last: number]>([0, 0]);
  const filter = { ...filterOf(evaluation, search, reveal), search: useDebounced(search.q, TYPING_MS) };
  const wanted = Array.from({ length: pages[1] - pages[0] + 1 }, (_, place) => pages[0] + place);
  const results = useQueries({
    queries: wanted.map((page) =>
      itemsQuery(runId, evaluation.benchmark, filter, { limit: PAGE, offset: page * PAGE }),
    ),
  });
  const loaded = new Map(
    results.flatMap(({ data }) => (data ? [[data.items.offset, data.items.items]] : [])),
  );
  const counts = useLast(results.find(({ data }) => data)?.data?.items);

  function placeOf(itemId: string, sample: number): number | undefined {
    for (const [offset, page] of loaded) {
      const place = page.findIndex((row) => row.item_id === itemId && row.sample === sample);
      if (place >= 0) return offset + place;
    }
    return undefined;
  }

  function show(first: number, last: number) {
    const next = [Math.floor(first / PAGE), Math.floor(last / PAGE)] as const;
    if (next[0] !== pages[0] || next[1] !== pages[1]) setPages(next);
  }

  return {
    total: counts?.total,
    hasMore: counts?.is_total_exact === false,
    at: (index) => loaded.get(Math.floor(index / PAGE) * PAGE)?.[index % PAGE],
    placeOf,
    show,
    isMasked: results.some(({ data }) => data?.is_masked),
    categories: useLast(results.find(({ data }) => data)?.data?.categories) ?? [],
    isStale: filter.search !== search.q || results.some(({ isPlaceholderData }) => isPlaceholderData),
    isLoading: results.some(({ isPending }) => isPending),
    error: results.find(({ error }) => error)?.error ?? null,
  };
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

export function filterOf(evaluation: EvaluationDetail, search: ItemsSearch, reveal: boolean): ItemFilter {
  return {
    model: evaluation.model,
    outcome: search.outcome,
    search: search.q,
    sort: search.sort,
    reveal: reveal || undefined,
    category: search.category,
    label: search.label,
    min_tokens: search.minTokens,
    max_tokens: search.maxTokens,
    min_ms: inMs(search.minTime),
    max_ms: inMs(search.maxTime),
    per_item: (evaluation.samples > 1 && !search.each) || undefined,
  };
}

/** The value, or the last one where there is none for the moment: a list must not vanish while it loads. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
