import type { RunEvent } from "./client";
import { queryClient } from "./queries";

/** What the newest progress event of an evaluation under way says; null is not known. */
export interface EvaluationTraffic {
  model: string;
  benchmark: string;
  endpoint: string;
  accuracy: number | null;
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null;
  perSecond: number;
  inFlight: number;
  callLimit: number;
  closedForS: number;
  rateLimited: number;
  retries: number;
  waiting: number;
  reason: string;
}

/** The state of a run's calls at one moment, over all its evaluations under way. */
export interface Sample {
  at: number;
  perSecond: number;
  inFlight: number;
  /** Calls that failed since the sample before. */
  failed: number;
}

export interface Traffic {
  evaluations: Readonly<Record<string, EvaluationTraffic>>;
  samples: readonly Sample[];
  /** Failed calls of every evaluation when the last sample was taken. */
  retries: number;
}

export const NO_TRAFFIC: Traffic = { evaluations: {}, samples: [], retries: 0 };
const SAMPLE_MS = 1_000;
/** Two and a half minutes. */
const MOST_SAMPLES = 150;

/** Traffic is what events have said since the page was opened; nothing is asked for. */
export function trafficQuery(runId: string) {
  return {
    queryKey: ["traffic", runId],
    queryFn: () => NO_TRAFFIC,
    staleTime: Number.POSITIVE_INFINITY,
  } as const;
}

export function noteTraffic(event: RunEvent) {
  if (!event.benchmark_name) return;
  queryClient.setQueryData<Traffic>(["traffic", event.run_id], (known = NO_TRAFFIC) =>
    trafficAfter(known, event, Date.now()),
  );
}

export function trafficAfter(known: Traffic, event: RunEvent, now: number): Traffic {
  const { model, benchmark_name: benchmark, event_type } = event;
  if (model === null || benchmark === null) return known;
  const { [trafficKey(model, benchmark)]: _, ...others } = known.evaluations;
  const evaluations =
    event_type === "benchmark_progress"
      ? { ...others, [trafficKey(model, benchmark)]: read(model, benchmark, event.data) }
      : others;
  const last = known.samples.at(-1);
  if (last && now - last.at < SAMPLE_MS) return { ...known, evaluations };
  const all = Object.values(evaluations);
  const retries = sum(all.map((one) => one.retries));
  const sample = {
    at: now,
    perSecond: sum(all.map(({ perSecond }) => perSecond)),
    inFlight: callsInFlight(all),
    failed: Math.max(0, retries - (last ? known.retries : retries)),
  };
  return { evaluations, samples: [...known.samples, sample].slice(-MOST_SAMPLES), retries };
}

export function trafficKey(model: string, benchmark: string): string {
  return `${model} · ${benchmark}`;
}

/** Evaluations of one endpoint report the same calls: they share its limit. */
export function callsInFlight(evaluations: readonly EvaluationTraffic[]): number {
  return sum(byEndpoint(evaluations).map((shared) => Math.max(...shared.map(({ inFlight }) => inFlight))));
}

export function callLimit(evaluations: readonly EvaluationTraffic[]): number {
  return sum(byEndpoint(evaluations).map((shared) => Math.max(...shared.map(({ callLimit: most }) => most))));
}

function byEndpoint(evaluations: readonly EvaluationTraffic[]): EvaluationTraffic[][] {
  return [...Map.groupBy(evaluations, ({ endpoint }) => endpoint).values()];
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function read(model: string, benchmark: string, data: RunEvent["data"]): EvaluationTraffic {
  const known = (name: string) => (typeof data[name] === "number" ? data[name] : null);
  const number = (name: string) => known(name) ?? 0;
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : "");
  return {
    model,
    benchmark,
    endpoint: text("endpoint"),
    accuracy: known("current_accuracy"),
    inputTokens: number("input_tokens"),
    outputTokens: number("output_tokens"),
    costUsd: known("cost_usd"),
    perSecond: number("requests_per_s"),
    inFlight: number("calls_in_flight"),
    callLimit: number("call_limit"),
    closedForS: number("closed_for_s"),
    rateLimited: number("rate_limited"),
    retries: number("retries"),
    waiting: number("waiting_to_retry"),
    reason: text("retry_reason"),
  };
}
