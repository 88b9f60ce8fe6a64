import type { RunConfig, RunRequest, Schemas } from "../api/client";
import { jsonObject, stopsOf, textsOf } from "./jsonFields";
import { numberProblem, type NumberRule } from "../numbers";
import { quoted, shellWord } from "../shell";
import type { Draft, TextField } from "./draft";
import { stopChoice, stopCondition, stopOf } from "./stop";

const RULES: Partial<Record<TextField, NumberRule>> = {
  pct: { isWhole: true, from: 1, to: 100 },
  count: { isWhole: true, from: 1, to: 1e9 },
  samples: { isWhole: true, from: 1, to: 1_000 },
  temperature: { isWhole: false, from: 0, to: 2 },
  top_p: { isWhole: false, from: 0, to: 1 },
  max_tokens: { isWhole: true, from: 1, to: 1e12 },
  model_seed: { isWhole: true, from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER },
  timeout: { isWhole: false, from: 0.001, to: 86_400 },
  retries: { isWhole: true, from: 0, to: 100 },
  few_shot: { isWhole: true, from: 0, to: 100 },
  connections: { isWhole: true, from: 1, to: 10_000 },
  budget_usd: { isWhole: false, from: 0, to: 1e9 },
  budget_tokens: { isWhole: true, from: 1, to: 1e12 },
  judge_votes: { isWhole: true, from: 1, to: 25 },
  judge_temperature: { isWhole: false, from: 0, to: 2 },
  judge_max_tokens: { isWhole: true, from: 1, to: 1e12 },
  judge_timeout: { isWhole: false, from: 1, to: 3_600 },
  minimum_quality: { isWhole: false, from: 0, to: 1 },
  warmup: { isWhole: true, from: 0, to: 100 },
  priority: { isWhole: true, from: -1_000, to: 1_000 },
  stop_margin: { isWhole: false, from: 0.01, to: 50 },
  stop_bar: { isWhole: false, from: 0.001, to: 0.999 },
  stop_alpha: { isWhole: false, from: 0.0001, to: 0.49 },
};

export type Problems = Partial<Record<keyof Draft, string>>;

/** What can be said to be wrong without asking the server. */
export function problemsOf(draft: Draft): Problems {
  const problems: Problems = {};
  for (const field of fieldsWithRules()) {
    const problem = numberProblem(draft[field], RULES[field]);
    if (problem) problems[field] = problem;
  }
  const wrong = (draft.model ?? []).filter((model) => !/^[^/\s]+\/\S+$/.test(model));
  if (wrong.length > 0) {
    problems.model = `${wrong.join(", ")} ${wrong.length === 1 ? "is" : "are"} not of the form provider/name`;
  }
  for (const field of ["base_url", "judge_base_url"] as const) {
    if (draft[field] && !/^https?:\/\/\S+$/.test(draft[field])) {
      problems[field] = "An address starts with http:// or https://";
    }
  }
  if (draft.stop && !stopsOf(draft.stop)) problems.stop = 'Several texts are a list such as ["a", "b"]';
  if (draft.options && !jsonObject(draft.options)) {
    problems.options = 'Fields are an object such as {"top_k": 40}';
  }
  if (draft.base_urls && !textsOf(draft.base_urls)) {
    problems.base_urls = 'Addresses are an object such as {"vllm/my-model": "http://127.0.0.1:8000/v1"}';
  }
  if (draft.weights && !weightsOf(draft.weights)) {
    problems.weights = `Name parts and points that add up to 100, such as ${EXAMPLE_WEIGHTS}`;
  }
  const choice = stopChoice(draft);
  if (choice && choice !== "bar" && draft.model?.length === 1) {
    problems.stop_when = "A comparison takes two models: add one, or hold this one against a bar";
  }
  return problems;
}

function fieldsWithRules(): TextField[] {
  return Object.keys(RULES).filter((name): name is TextField => name in RULES);
}

/** What is sent to the server, here and by the command that does the same. */
export function requestOf(draft: Draft): RunRequest {
  const request: RunRequest = { models: draft.model ?? [], selected_benchmarks: draft.benchmark ?? [] };
  if (draft.item?.length) request.items = draft.item;
  else if (draft.count) request.subset_count = Number(draft.count);
  else if (draft.pct) request.subset_pct = Number(draft.pct);
  if (draft.seed) request.subset_seed = draft.seed;
  if (draft.samples) request.samples = Number(draft.samples);
  if (draft.priority) request.priority = Number(draft.priority);
  const stop = stopOf(draft);
  if (stop) request.stop = stop;
  const config = configOf(draft);
  if (Object.keys(config).length > 0) request.config = config;
  return request;
}

function configOf(draft: Draft): RunConfig {
  const config: RunConfig = {};
  if (draft.data && draft.data !== "official") config.data = draft.data;
  if (draft.temperature) config.temperature = Number(draft.temperature);
  if (draft.top_p) config.top_p = Number(draft.top_p);
  if (draft.max_tokens) config.max_tokens = Number(draft.max_tokens);
  if (draft.effort) config.reasoning_effort = draft.effort;
  addFurther(config, draft);
  if (draft.connections) config.max_connections = Number(draft.connections);
  if (draft.budget_usd) config.budget_usd = Number(draft.budget_usd);
  if (draft.budget_tokens) config.budget_tokens = Number(draft.budget_tokens);
  const judge = judgeOf(draft);
  if (judge) config.judge = judge;
  if (draft.user_model) config.user_model = draft.user_model;
  if (draft.base_url) config.base_url = draft.base_url;
  const weights = weightsOf(draft.weights ?? "");
  if (weights) config.weights = weights;
  if (draft.minimum_quality) config.minimum_quality = Number(draft.minimum_quality);
  if (draft.warmup) config.warmup = Number(draft.warmup);
  if (draft.logprobs) config.logprobs = true;
  if (draft.reuse) config.reuse = true;
  return config;
}

function addFurther(config: RunConfig, draft: Draft): void {
  if (draft.system) config.system = draft.system;
  if (draft.stop) config.stop = stopsOf(draft.stop) ?? [];
  if (draft.model_seed) config.model_seed = Number(draft.model_seed);
  if (draft.options) config.options = jsonObject(draft.options) ?? {};
  if (draft.timeout) config.timeout_s = Number(draft.timeout);
  if (draft.retries) config.retries = Number(draft.retries);
  if (draft.few_shot) config.few_shot = Number(draft.few_shot);
  if (draft.base_urls) config.base_urls = textsOf(draft.base_urls) ?? {};
}

/** Names alone where nothing else is said of the judges. */
function judgeOf(draft: Draft): RunConfig["judge"] {
  if (!draft.judge) return null;
  const how = {
    ...(draft.judge_votes ? { votes: Number(draft.judge_votes) } : {}),
    ...(draft.judge_temperature ? { temperature: Number(draft.judge_temperature) } : {}),
    ...(draft.judge_max_tokens ? { max_tokens: Number(draft.judge_max_tokens) } : {}),
    ...(draft.judge_timeout ? { timeout_s: Number(draft.judge_timeout) } : {}),
    ...(draft.judge_base_url ? { base_url: draft.judge_base_url } : {}),
  };
  if (Object.keys(how).length === 0) return draft.judge;
  const models = draft.judge.split(",").map((name) => name.trim());
  return { models: models.filter(Boolean), ...how };
}

const EXAMPLE_WEIGHTS = "quality=40,speed=20,cost=15,streaming=15,multimodal=10";
type Weights = Required<Schemas["WeightsConfig"]>;

function weightsOf(text: string): Weights | undefined {
  const points: Weights = { quality: 40, speed: 20, cost: 15, streaming: 15, multimodal: 10 };
  if (text === "") return undefined;
  for (const part of text.split(",")) {
    const [, name = "", value = ""] = /^\s*(\w+)\s*=\s*([\d.]+)\s*$/.exec(part) ?? [];
    if (!isPart(name, points)) return undefined;
    points[name] = Number(value);
  }
  const total = Object.values(points).reduce((sum, one) => sum + one, 0);
  return Math.abs(total - 100) < 1e-6 ? points : undefined;
}

function isPart(name: string, points: Weights): name is keyof Weights {
  return Object.hasOwn(points, name);
}

const FLAGS: readonly [field: TextField | "data", flag: string][] = [
  ["data", "--data"],
  ["pct", "--subset"],
  ["count", "--count"],
  ["seed", "--seed"],
  ["samples", "--samples"],
  ["temperature", "--temperature"],
  ["top_p", "--top-p"],
  ["max_tokens", "--max-tokens"],
  ["effort", "--reasoning-effort"],
  ["system", "--system"],
  ["model_seed", "--model-seed"],
  ["timeout", "--timeout"],
  ["retries", "--retries"],
  ["few_shot", "--few-shot"],
  ["connections", "--max-connections"],
  ["budget_usd", "--budget-usd"],
  ["budget_tokens", "--budget-tokens"],
  ["base_url", "--base-url"],
  ["judge", "--judge"],
  ["judge_votes", "--judge-votes"],
  ["judge_base_url", "--judge-base-url"],
  ["judge_temperature", "--judge-temperature"],
  ["judge_max_tokens", "--judge-max-tokens"],
  ["judge_timeout", "--judge-timeout"],
  ["user_model", "--user-model"],
  ["weights", "--weights"],
  ["minimum_quality", "--minimum-quality"],
  ["warmup", "--warmup"],
];

export function commandOf(draft: Draft): string {
  const words = ["assay", "run", (draft.model ?? []).join(",") || "MODEL"];
  words.push((draft.benchmark ?? []).join(",") || "BENCHMARK");
  if (draft.item?.length) words.push("--item", draft.item.map(listed).join(","));
  for (const [field, flag] of FLAGS) {
    const value = draft[field];
    if (value !== undefined && value !== "official" && !isOverruled(field, draft)) words.push(flag, value);
  }
  if (draft.logprobs) words.push("--logprobs");
  if (draft.reuse) words.push("--reuse");
  for (const text of stopsOf(draft.stop ?? "") ?? []) words.push("--stop", text);
  for (const [name, value] of Object.entries(jsonObject(draft.options ?? "") ?? {})) {
    words.push("--option", `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  }
  for (const [model, url] of Object.entries(textsOf(draft.base_urls ?? "") ?? {})) {
    words.push("--base-url", `${model}=${url}`);
  }
  const condition = stopCondition(draft);
  if (condition) words.push("--stop-when", condition);
  return words.map((word) => (/^[A-Z]+$/.test(word) ? word : shellWord(word))).join(" ");
}

/** Named items win over a subset, and a number of items over a percentage; without judges nothing is said of them. */
function isOverruled(field: TextField | "data", draft: Draft): boolean {
  if (field.startsWith("judge_")) return !draft.judge;
  if (field === "count") return Boolean(draft.item?.length);
  return field === "pct" && Boolean(draft.item?.length || draft.count);
}

/** An id as an entry of a comma-separated list. */
function listed(id: string): string {
  return /[",]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id;
}

export function curlOf(draft: Draft, origin: string): string {
  const body = JSON.stringify(requestOf(draft), null, 2);
  return `curl ${origin}/api/runs \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(body)}`;
}
