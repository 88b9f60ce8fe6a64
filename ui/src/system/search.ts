import { lean, oneOf } from "../api/searchParams";

export const SPANS = [
  { value: "60", label: "1 h" },
  { value: "360", label: "6 h" },
  { value: "1440", label: "24 h" },
] as const;

export interface SystemSearch {
  /** How far back the chart goes. */
  minutes?: (typeof SPANS)[number]["value"];
}

export function systemSearch(raw: Record<string, unknown>): SystemSearch {
  return lean({
    minutes: oneOf(
      raw["minutes"],
      SPANS.map(({ value }) => value),
    ),
  });
}
