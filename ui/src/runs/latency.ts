import { lean, oneOf } from "../api/searchParams";
import { milliseconds } from "../format";

const perSecond = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)}/s`;

export const METRICS = [
  { value: "ttft_ms", label: "First token", title: "Time to the first token", unit: milliseconds },
  {
    value: "ttfat_ms",
    label: "First answer token",
    title: "Time to the first token of the answer",
    unit: milliseconds,
  },
  { value: "max_gap_ms", label: "Longest gap", title: "Longest gap between two tokens", unit: milliseconds },
  { value: "silence_ms", label: "Silence", title: "Longest time without a byte", unit: milliseconds },
  { value: "duration_ms", label: "Whole reply", title: "Time of a whole reply", unit: milliseconds },
  { value: "tokens_per_s", label: "Tokens/s", title: "Tokens per second", unit: perSecond },
] as const;

export type Metric = (typeof METRICS)[number]["value"];

export interface LatencySearch {
  metric?: Metric;
}

export function latencySearch(raw: Record<string, unknown>): LatencySearch {
  return lean({
    metric: oneOf(
      raw["metric"],
      METRICS.map(({ value }) => value),
    ),
  });
}
