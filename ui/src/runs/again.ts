import type { RunDetail } from "../api/client";

/** What fills the form of a new run so that it asks for the same again. */
export function againOf(run: RunDetail): Record<string, string | string[]> {
  const [first] = run.evaluations;
  const search: Record<string, string | string[] | number | null | undefined> = {
    model: run.models,
    benchmark: run.selected_benchmarks,
    data: run.data,
    pct: run.subset_pct < 100 && run.subset_count === null ? run.subset_pct : null,
    count: run.subset_count,
    item: run.items.length > 0 ? run.items : null,
    seed: run.subset_seed === DEFAULT_SEED ? null : run.subset_seed,
    samples: run.samples > 1 ? run.samples : null,
    connections: run.max_connections,
    budget_usd: run.budget_usd,
    budget_tokens: run.budget_tokens,
    effort: first?.generation.reasoning_effort,
    priority: run.priority === 0 ? null : run.priority,
  };
  return Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) =>
      value === null || value === undefined ? [] : [[key, Array.isArray(value) ? value : String(value)]],
    ),
  );
}

const DEFAULT_SEED = "assay";
