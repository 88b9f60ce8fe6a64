import type { StopSettings } from "../api/race";

const QUESTIONS: Record<StopSettings["until"], string> = {
  decided: "asked until better, worse or equivalent is certain",
  equivalent: "asked until it is certain whether they are equivalent",
  better: "asked until it is certain which one is better",
};

/** The rule in words. */
export function ruleOf({ bar, until, margin, alpha }: StopSettings): string {
  const risk = `anything claimed is wrong in at most ${percentOf(alpha)} % of runs`;
  if (bar !== null)
    return `asked until each score is certain to be above or below ${percentOf(bar)} %; ${risk}`;
  const within =
    until === "better" ? "" : `, within ${percentOf(margin)} ${margin === 0.01 ? "point" : "points"}`;
  return `${QUESTIONS[until]}${within}; ${risk}`;
}

function percentOf(share: number): string {
  return String(Number((100 * share).toPrecision(4)));
}
