import type { RunDetail } from "../api/client";
import type { EquivalenceTest, FidelityFacts } from "../api/fidelity";
import { lean, oneOf, text } from "../api/searchParams";
import { count, percent } from "../format";

/** Differences that do not matter, in points. */
export const MARGINS = ["1", "2", "3", "5"] as const;
export const DEFAULT_MARGIN = "3";

export interface FidelitySearch {
  margin?: (typeof MARGINS)[number];
  reference?: string;
}

export function fidelitySearch(raw: Record<string, unknown>): FidelitySearch {
  return lean({ margin: oneOf(raw["margin"], MARGINS), reference: text(raw["reference"]) });
}

/** Whether the run asked several models the same more than once, as `assay fidelity` does. */
export function isFidelityRun({ models, samples, tags }: RunDetail): boolean {
  return tags.includes("fidelity") || (models.length > 1 && samples > 1);
}

export const VERDICTS: Record<EquivalenceTest["verdict"], string> = {
  equivalent: "equivalent",
  worse: "worse",
  better: "better",
  inconclusive: "not enough items",
};

export const TONES = { equivalent: "good", worse: "bad", better: "gold", inconclusive: "plain" } as const;

export interface Measure {
  name: string;
  of: (facts: FidelityFacts) => string | null;
}

const share = (some: number, all: number) => (all > 0 ? percent(some / all) : null);
const mean = (found: FidelityFacts["score"]) => (found ? count(found.value) : null);
const asPercent = (found: { value: number } | null) => (found ? percent(found.value) : null);

const MEASURES: readonly Measure[] = [
  { name: "Score", of: ({ score }) => asPercent(score) },
  { name: "Tool-call accuracy", of: ({ tool_call_accuracy }) => asPercent(tool_call_accuracy) },
  { name: "Truncated", of: ({ cut, answered }) => share(cut, answered) },
  { name: "Refused", of: ({ refused, answered }) => share(refused, answered) },
  { name: "Missing", of: ({ missing, planned }) => share(missing, planned) },
  { name: "Finish reasons", of: ({ finish_reasons }) => named(finish_reasons) },
  { name: "Tokens in", of: ({ input_tokens }) => mean(input_tokens) },
  { name: "Same tokens in", of: ({ same_input }) => asPercent(same_input) },
  { name: "Tokens out", of: ({ output_tokens }) => mean(output_tokens) },
  { name: "Reasoning tokens", of: ({ reasoning_tokens }) => mean(reasoning_tokens) },
  {
    name: "Identical answers",
    of: ({ divergence }) => (divergence ? share(divergence.identical, divergence.pairs) : null),
  },
  {
    name: "Others agree for",
    of: ({ divergence }) =>
      divergence && divergence.median_chars !== null ? `${count(divergence.median_chars)} characters` : null,
  },
  { name: "Reported model", of: ({ served_models }) => named(served_models) },
  { name: "System fingerprint", of: ({ system_fingerprints }) => named(system_fingerprints) },
  { name: "Endpoint", of: ({ endpoint }) => endpoint },
];

/** Those that are known of any of the models. */
export function measuresOf(models: readonly FidelityFacts[]): Measure[] {
  return MEASURES.filter(({ of }) => models.some((facts) => of(facts) !== null));
}

/** Names with how often they came; one that came always stands alone. */
function named(counts: Record<string, number | undefined>): string | null {
  const entries = Object.entries(counts);
  const [only] = entries;
  if (!only) return null;
  if (entries.length === 1) return only[0];
  return entries.map(([name, times]) => `${name} ${count(times ?? 0)}`).join(", ");
}

interface Spanned {
  statistics: { interval: { low: number; high: number } } | null;
}

/** The farthest that anything drawn goes from zero, so that all rows share one axis. */
export function reachOf(tests: readonly Spanned[], margin: number): number {
  const ends = tests.flatMap(({ statistics: found }) =>
    found ? [Math.abs(found.interval.low), Math.abs(found.interval.high)] : [],
  );
  return Math.max(1.5 * margin, ...ends);
}
