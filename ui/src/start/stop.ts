import type { Schemas } from "../api/client";
import { oneOf } from "../api/searchParams";
import type { StopSettings } from "../api/race";
import type { Draft } from "./draft";

export const STOP_CHOICES = ["decided", "better", "equivalent", "bar"] as const;
export type StopChoice = (typeof STOP_CHOICES)[number];

export function stopChoice(draft: Draft): StopChoice | undefined {
  return oneOf(draft.stop_when, STOP_CHOICES);
}

/** The rule as the API takes it; undefined where all items are asked. */
export function stopOf(draft: Draft): Schemas["StopConfig"] | undefined {
  const choice = stopChoice(draft);
  if (!choice) return undefined;
  const alpha = draft.stop_alpha ? { alpha: Number(draft.stop_alpha) } : {};
  if (choice === "bar") return { bar: Number(draft.stop_bar ?? USUAL_BAR), ...alpha };
  const margin = draft.stop_margin && choice !== "better" ? { margin: Number(draft.stop_margin) / 100 } : {};
  return { until: choice, ...margin, ...alpha };
}

/** The same as an option of `assay run`. */
export function stopCondition(draft: Draft): string | undefined {
  const stop = stopOf(draft);
  if (!stop) return undefined;
  const alpha = stop.alpha === undefined ? "" : `, alpha ${stop.alpha}`;
  if (typeof stop.bar === "number") return `score > ${stop.bar}${alpha}`;
  const within = stop.margin === undefined ? "" : ` within ${draft.stop_margin} points`;
  return `${stop.until}${within}${alpha}`;
}

/** What fills the form so that it says the same again. */
export function stopFields(stop: StopSettings | null): Partial<Record<keyof Draft, string | null>> {
  if (stop === null) return {};
  const alpha = stop.alpha === USUAL_ALPHA ? null : String(stop.alpha);
  if (stop.bar !== null) return { stop_when: "bar", stop_bar: String(stop.bar), stop_alpha: alpha };
  const margin = stop.margin === USUAL_MARGIN ? null : String(Number((100 * stop.margin).toPrecision(6)));
  return { stop_when: stop.until, stop_margin: margin, stop_alpha: alpha };
}

const USUAL_ALPHA = 0.05;
const USUAL_MARGIN = 0.01;
export const USUAL_BAR = "0.8";
