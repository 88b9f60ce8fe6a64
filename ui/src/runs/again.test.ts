import { expect, test } from "vitest";
import type { RunDetail } from "../api/client";
import { draftOf } from "../start/draft";
import { requestOf } from "../start/request";
import { againOf } from "./again";

const WEIGHTS = { quality: 50, speed: 10, cost: 15, streaming: 15, multimodal: 10 };
const CONFIG: RunDetail["config"] = {
  temperature: 0,
  top_p: 0.9,
  max_tokens: 512,
  system: "Be brief.",
  stop: ["###"],
  model_seed: 7,
  options: { top_k: 40 },
  headers: [],
  timeout_s: 20,
  retries: 0,
  few_shot: 2,
  base_urls: { "vllm/x": "http://127.0.0.1:8002/v1" },
  reasoning_effort: "high",
  base_url: "http://127.0.0.1:8000/v1",
  judge: {
    models: ["sim/a", "sim/b"],
    votes: 3,
    temperature: 0.5,
    max_tokens: 64,
    timeout_s: 30,
    base_url: "http://127.0.0.1:8001/v1",
  },
  user_model: "sim/user",
  agent: null,
  weights: WEIGHTS,
  minimum_quality: 0.5,
  warmup: 2,
  logprobs: true,
  reuse: true,
};
const RUN = {
  models: ["vllm/x"],
  selected_benchmarks: ["hle"],
  data: "demo",
  subset_pct: 100,
  subset_count: 7,
  subset_seed: "mine",
  items: [],
  samples: 2,
  max_connections: 3,
  budget_usd: 1.5,
  budget_tokens: 1000,
  priority: -1,
  config: CONFIG,
  stop: { margin: 0.02, alpha: 0.01, until: "equivalent", bar: null },
};

/** The form is filled from the URL, so what it is given must be readable there. */
function again(run: object) {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the other fields are not read
  return requestOf(draftOf(againOf(run as RunDetail)));
}

test("a run is asked for again with everything that it was asked for with", () => {
  // Values of headers are not shown, so the form cannot ask for them again.
  const { user_model, agent: _, headers: __, base_url, judge, ...config } = CONFIG;
  expect(again(RUN)).toEqual({
    models: ["vllm/x"],
    selected_benchmarks: ["hle"],
    subset_count: 7,
    subset_seed: "mine",
    samples: 2,
    priority: -1,
    stop: { margin: 0.02, alpha: 0.01, until: "equivalent" },
    config: {
      ...config,
      data: "demo",
      base_url,
      user_model,
      judge,
      max_connections: 3,
      budget_usd: 1.5,
      budget_tokens: 1000,
    },
  });
});

test("what is as for every run stays empty", () => {
  const usual: RunDetail["config"] = {
    temperature: null,
    top_p: null,
    max_tokens: null,
    reasoning_effort: null,
    system: null,
    stop: [],
    model_seed: null,
    options: {},
    headers: [],
    timeout_s: null,
    retries: null,
    few_shot: null,
    base_urls: {},
    base_url: null,
    judge: {
      models: ["sim/a"],
      votes: 1,
      temperature: null,
      max_tokens: null,
      timeout_s: 120,
      base_url: null,
    },
    user_model: null,
    agent: null,
    weights: { quality: 40, speed: 20, cost: 15, streaming: 15, multimodal: 10 },
    minimum_quality: 0.25,
    warmup: 0,
    logprobs: false,
    reuse: false,
  };
  expect(again({ ...RUN, subset_count: null, config: usual }).config).toEqual({
    data: "demo",
    judge: "sim/a",
    max_connections: 3,
    budget_usd: 1.5,
    budget_tokens: 1000,
  });
});
