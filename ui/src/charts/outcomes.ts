import type { Outcome } from "../api/client";
import type { IconName } from "../ui/Icon";

export interface OutcomeKind {
  outcome: Outcome;
  label: string;
  icon: IconName;
  /** Whether it enters the score; every other outcome is missing data. */
  isVerdict: boolean;
}

/** In the order they are drawn: verdicts from best to worst, then what is missing. */
export const OUTCOMES: readonly OutcomeKind[] = [
  { outcome: "correct", label: "correct", icon: "check", isVerdict: true },
  { outcome: "partial", label: "partial", icon: "half", isVerdict: true },
  { outcome: "incorrect", label: "incorrect", icon: "cross", isVerdict: true },
  { outcome: "unparsed", label: "unparsed", icon: "question", isVerdict: true },
  { outcome: "refused", label: "refused", icon: "blocked", isVerdict: true },
  { outcome: "truncated", label: "truncated", icon: "scissors", isVerdict: true },
  { outcome: "answered", label: "answered", icon: "forward", isVerdict: false },
  { outcome: "model_error", label: "model error", icon: "alert", isVerdict: false },
  { outcome: "rate_limited", label: "rate limited", icon: "alert", isVerdict: false },
  { outcome: "timeout", label: "timeout", icon: "clock", isVerdict: false },
  { outcome: "sandbox_error", label: "sandbox error", icon: "alert", isVerdict: false },
  { outcome: "grader_error", label: "grader error", icon: "alert", isVerdict: false },
  { outcome: "data_error", label: "data error", icon: "alert", isVerdict: false },
  { outcome: "canceled", label: "canceled", icon: "blocked", isVerdict: false },
];

export interface OutcomeCount extends OutcomeKind {
  count: number;
}

/** The outcomes that occurred, in drawing order. */
export function occurred(counts: Partial<Record<string, number>>): OutcomeCount[] {
  return OUTCOMES.flatMap((kind) => {
    const count = counts[kind.outcome] ?? 0;
    return count > 0 ? [{ ...kind, count }] : [];
  });
}

export function outcomeKind(outcome: Outcome): OutcomeKind {
  const kind = OUTCOMES.find((one) => one.outcome === outcome);
  return kind ?? { outcome, label: outcome, icon: "question", isVerdict: false };
}
