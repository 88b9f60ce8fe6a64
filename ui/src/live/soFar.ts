import type { Evaluation } from "../api/client";
import { type EvaluationTraffic, type Traffic, trafficKey } from "../api/traffic";

export interface Used {
  inputTokens: number;
  outputTokens: number;
  /** Null while nothing is known. */
  costUsd: number | null;
  /** Whether the cost of some evaluations that have begun is unknown. */
  isCostPartial: boolean;
}

type Part = Pick<Evaluation, "model" | "benchmark" | "tokens" | "cost_usd" | "progress">;

/** What a run has used: of evaluations that ended as summed up, of the others as events tell. */
export function soFar(evaluations: readonly Part[], traffic: Traffic): Used {
  const used: Used = { inputTokens: 0, outputTokens: 0, costUsd: null, isCostPartial: false };
  for (const one of evaluations) {
    const live = traffic.evaluations[trafficKey(one.model, one.benchmark)];
    const { input, output, costUsd } = usedBy(one, live);
    used.inputTokens += input;
    used.outputTokens += output;
    if (costUsd !== null) used.costUsd = (used.costUsd ?? 0) + costUsd;
    else if (one.progress.completed > 0) used.isCostPartial = true;
  }
  if (used.costUsd === null) used.isCostPartial = false;
  return used;
}

export function usedBy({ tokens, cost_usd }: Part, live: EvaluationTraffic | undefined) {
  if (live) return { input: live.inputTokens, output: live.outputTokens, costUsd: live.costUsd };
  return { input: tokens?.input ?? 0, output: tokens?.output ?? 0, costUsd: cost_usd };
}

/** The share of correct answers so far; undefined where answers can be right in part, or none is graded. */
export function accuracySoFar({ outcomes, scored }: Pick<Evaluation, "outcomes" | "scored">) {
  if (scored === 0 || (outcomes["partial"] ?? 0) > 0) return undefined;
  return (outcomes["correct"] ?? 0) / scored;
}
