import type { RunDetail } from "../api/client";
import { jsonText } from "../start/jsonFields";
import { stopFields } from "../start/stop";

/** What fills the form of a new run so that it asks for the same again. */
export function againOf(run: RunDetail): Record<string, string | string[]> {
  const search: Record<string, string | readonly string[] | number | null> = {
    model: run.models,
    benchmark: run.selected_benchmarks,
    data: run.data,
    pct: run.subset_pct < 100 && run.subset_count === null ? run.subset_pct : null,
    count: run.subset_count,
    item: run.items.length > 0 ? run.items : null,
    seed: unless(DEFAULT_SEED, run.subset_seed),
    samples: unless(1, run.samples),
    connections: run.max_connections,
    budget_usd: run.budget_usd,
    budget_tokens: run.budget_tokens,
    priority: unless(0, run.priority),
    ...stopFields(run.stop),
    ...settingsOf(run.config),
  };
  return Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) =>
      value === null ? [] : [[key, typeof value === "object" ? [...value] : String(value)]],
    ),
  );
}

/** What the form leaves empty where it is as for every run. */
function settingsOf(config: RunDetail["config"]) {
  const { judge } = config;
  return {
    temperature: config.temperature,
    top_p: config.top_p,
    max_tokens: config.max_tokens,
    effort: config.reasoning_effort,
    system: config.system,
    stop: jsonText(config.stop),
    model_seed: config.model_seed,
    options: jsonText(config.options),
    timeout: config.timeout_s,
    retries: config.retries,
    few_shot: config.few_shot,
    base_url: config.base_url,
    base_urls: jsonText(config.base_urls),
    judge: judge && judge.models.join(","),
    judge_votes: judge && unless(1, judge.votes),
    judge_temperature: judge && judge.temperature,
    judge_max_tokens: judge && judge.max_tokens,
    judge_timeout: judge && unless(DEFAULT_JUDGE_TIMEOUT_S, judge.timeout_s),
    judge_base_url: judge && judge.base_url,
    user_model: config.user_model,
    weights: unless(DEFAULT_WEIGHTS, weightsText(config.weights)),
    minimum_quality: unless(DEFAULT_MINIMUM_QUALITY, config.minimum_quality),
    warmup: unless(0, config.warmup),
    logprobs: config.logprobs ? "true" : null,
    reuse: config.reuse ? "true" : null,
  };
}

function unless<T>(usual: T, value: T): T | null {
  return value === usual ? null : value;
}

function weightsText(weights: Record<string, number>): string {
  return Object.entries(weights)
    .map(([part, points]) => `${part}=${points}`)
    .join(",");
}

const DEFAULT_SEED = "assay";
const DEFAULT_JUDGE_TIMEOUT_S = 120;
const DEFAULT_WEIGHTS = "quality=40,speed=20,cost=15,streaming=15,multimodal=10";
const DEFAULT_MINIMUM_QUALITY = 0.25;
