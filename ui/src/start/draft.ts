import { lean, oneOf, text, texts } from "../api/searchParams";

/** A run as far as it is filled in; numbers stay as typed until they are valid. Lives in the URL. */
export interface Draft {
  model?: string[];
  benchmark?: string[];
  data?: DataChoice;
  pct?: string;
  count?: string;
  /** Ids of the only items to ask, in place of a subset. */
  item?: string[];
  seed?: string;
  samples?: string;
  temperature?: string;
  top_p?: string;
  max_tokens?: string;
  effort?: string;
  system?: string;
  /** One text that ends a reply, or a JSON list of several. */
  stop?: string;
  model_seed?: string;
  /** Further fields of the request body, as a JSON object. */
  options?: string;
  timeout?: string;
  retries?: string;
  few_shot?: string;
  connections?: string;
  budget_usd?: string;
  budget_tokens?: string;
  base_url?: string;
  /** Addresses of single models, as a JSON object. */
  base_urls?: string;
  judge?: string;
  judge_votes?: string;
  judge_temperature?: string;
  judge_max_tokens?: string;
  judge_timeout?: string;
  judge_base_url?: string;
  user_model?: string;
  /** Points of the parts of the composite, as `quality=40,speed=20`. */
  weights?: string;
  minimum_quality?: string;
  warmup?: string;
  priority?: string;
  /** Whether stored answers to the same requests are taken. */
  logprobs?: boolean;
  reuse?: boolean;
  /** What has to be certain for the run to end: one of `STOP_CHOICES`. */
  stop_when?: string;
  /** In points. */
  stop_margin?: string;
  stop_bar?: string;
  stop_alpha?: string;
}

export const DATA_CHOICES = ["official", "demo"] as const;
export type DataChoice = (typeof DATA_CHOICES)[number];

const TEXTS = [
  "pct",
  "count",
  "seed",
  "samples",
  "temperature",
  "top_p",
  "max_tokens",
  "effort",
  "system",
  "stop",
  "model_seed",
  "options",
  "timeout",
  "retries",
  "few_shot",
  "connections",
  "budget_usd",
  "budget_tokens",
  "base_url",
  "base_urls",
  "judge",
  "judge_votes",
  "judge_temperature",
  "judge_max_tokens",
  "judge_timeout",
  "judge_base_url",
  "user_model",
  "weights",
  "minimum_quality",
  "warmup",
  "priority",
  "stop_when",
  "stop_margin",
  "stop_bar",
  "stop_alpha",
] as const;

export type TextField = (typeof TEXTS)[number];

/** Keeps what is understood and drops the rest, so that any URL shows a form. */
export function draftOf(raw: Record<string, unknown>): Draft {
  const draft: Draft = lean({
    model: texts(raw["model"]),
    benchmark: texts(raw["benchmark"]),
    item: texts(raw["item"]),
    data: oneOf(raw["data"], DATA_CHOICES),
    logprobs: raw["logprobs"] === true || raw["logprobs"] === "true" || undefined,
    reuse: raw["reuse"] === true || raw["reuse"] === "true" || undefined,
  });
  for (const field of TEXTS) {
    const value = text(raw[field]);
    if (value !== undefined) draft[field] = value;
  }
  return draft;
}
