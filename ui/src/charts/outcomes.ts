import type { Outcome } from "../api/client";
import { count } from "../format";
import type { IconName } from "../ui/Icon";

export interface OutcomeKind {
  outcome: Outcome;
  label: string;
  icon: IconName;
  /** A verdict enters the score. A reply that nothing is known to grade by is neither that nor missing. */
  kind: "verdict" | "ungraded" | "missing";
}

/** In the order they are drawn: verdicts from best to worst, replies that are not graded, then what is missing. */
export const OUTCOMES: readonly OutcomeKind[] = [
  { outcome: "correct", label: "correct", icon: "check", kind: "verdict" },
  { outcome: "partial", label: "partial", icon: "half", kind: "verdict" },
  { outcome: "incorrect", label: "incorrect", icon: "cross", kind: "verdict" },
  { outcome: "unparsed", label: "unparsed", icon: "question", kind: "verdict" },
  { outcome: "refused", label: "refused", icon: "blocked", kind: "verdict" },
  { outcome: "truncated", label: "truncated", icon: "scissors", kind: "verdict" },
  { outcome: "answered", label: "not graded", icon: "dots", kind: "ungraded" },
  { outcome: "model_error", label: "model error", icon: "alert", kind: "missing" },
  { outcome: "rate_limited", label: "rate limited", icon: "alert", kind: "missing" },
  { outcome: "timeout", label: "timeout", icon: "clock", kind: "missing" },
  { outcome: "sandbox_error", label: "sandbox error", icon: "alert", kind: "missing" },
  { outcome: "grader_error", label: "grader error", icon: "alert", kind: "missing" },
  { outcome: "data_error", label: "data error", icon: "alert", kind: "missing" },
  { outcome: "canceled", label: "canceled", icon: "blocked", kind: "missing" },
];

export interface OutcomeCount extends OutcomeKind {
  count: number;
}

/** The outcomes that occurred, in drawing order. */
export function occurred(counts: Partial<Record<string, number>>): OutcomeCount[] {
  return OUTCOMES.flatMap((kind) => {
    const times = counts[kind.outcome] ?? 0;
    return times > 0 ? [{ ...kind, count: times }] : [];
  });
}

export function outcomeKind(outcome: Outcome): OutcomeKind {
  const kind = OUTCOMES.find((one) => one.outcome === outcome);
  return kind ?? { outcome, label: outcome, icon: "question", kind: "missing" };
}

/** The name of its colour: all missing data has one. */
export function toneOf({ kind, outcome }: OutcomeKind): string {
  return kind === "missing" ? "missing" : outcome;
}

/** The attempts that ended with no reply to judge; those without an expected answer are not among them. */
export function missingCount(counts: Partial<Record<string, number>>): number {
  const missing = occurred(counts).filter(({ kind }) => kind === "missing");
  return missing.reduce((sum, one) => sum + one.count, 0);
}

/** "Not graded: 40 answers", where there are replies and nothing to grade them by. */
export function ungraded(counts: Partial<Record<string, number>>): string | undefined {
  const answers = counts["answered"] ?? 0;
  return answers > 0 ? `Not graded: ${count(answers)} ${answers === 1 ? "answer" : "answers"}` : undefined;
}
