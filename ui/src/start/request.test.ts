import { expect, test } from "vitest";
import { draftOf } from "./draft";
import { commandOf, curlOf, problemsOf, requestOf } from "./request";

const DRAFT = draftOf({
  model: ["sim/good", "ollama/qwen3:4b"],
  benchmark: "ifeval",
  data: "demo",
  count: "20",
  pct: "5",
  seed: "it's mine",
  budget_usd: "1.5",
  unknown: "x",
});

test("a draft becomes what the API takes, and a count wins over a percentage", () => {
  expect(requestOf(DRAFT)).toEqual({
    models: ["sim/good", "ollama/qwen3:4b"],
    selected_benchmarks: ["ifeval"],
    subset_count: 20,
    subset_seed: "it's mine",
    config: { data: "demo", budget_usd: 1.5 },
  });
});

test("the command line says the same, quoted for a shell", () => {
  expect(commandOf(DRAFT)).toBe(
    `assay run sim/good,ollama/qwen3:4b ifeval --data demo --count 20 --seed 'it'\\''s mine' --budget-usd 1.5`,
  );
  expect(commandOf({})).toBe("assay run MODEL BENCHMARK");
});

test("named items win over a subset, and an id with a comma is quoted as in CSV", () => {
  const draft = draftOf({ ...DRAFT, model: "sim/good", item: ["q1", 'a, "b"', "q1"], seed: "" });
  expect(requestOf(draft)).toEqual({
    models: ["sim/good"],
    selected_benchmarks: ["ifeval"],
    items: ["q1", 'a, "b"'],
    config: { data: "demo", budget_usd: 1.5 },
  });
  expect(commandOf(draft)).toBe(
    `assay run sim/good ifeval --item 'q1,"a, ""b"""' --data demo --budget-usd 1.5`,
  );
});

test("the models that grade and that play the user are named", () => {
  const draft = draftOf({ ...DRAFT, judge: "sim/judge", user_model: "sim/oracle" });
  expect(requestOf(draft).config).toMatchObject({ judge: "sim/judge", user_model: "sim/oracle" });
  expect(commandOf(draft)).toContain("--judge sim/judge --user-model sim/oracle");
});

test("what is sent besides is an object, a list or a text, here and on the command line", () => {
  const draft = draftOf({
    model: "vllm/a",
    benchmark: "ifeval",
    system: "Be brief.",
    stop: '["###", "END"]',
    model_seed: "7",
    options: '{"top_k": 40, "provider": {"sort": "price"}}',
    timeout: "20",
    retries: "0",
    few_shot: "2",
    logprobs: "true",
    base_urls: '{"vllm/a": "http://127.0.0.1:1/v1"}',
  });
  expect(problemsOf(draft)).toEqual({});
  expect(requestOf(draft).config).toEqual({
    system: "Be brief.",
    stop: ["###", "END"],
    model_seed: 7,
    options: { top_k: 40, provider: { sort: "price" } },
    timeout_s: 20,
    retries: 0,
    few_shot: 2,
    logprobs: true,
    base_urls: { "vllm/a": "http://127.0.0.1:1/v1" },
  });
  expect(commandOf(draft)).toBe(
    "assay run vllm/a ifeval --system 'Be brief.' --model-seed 7 --timeout 20 --retries 0 --few-shot 2 --logprobs" +
      ` --stop '###' --stop END --option top_k=40 --option 'provider={"sort":"price"}'` +
      " --base-url vllm/a=http://127.0.0.1:1/v1",
  );
});

test("the body that curl sends is the request", () => {
  const [, body = ""] = curlOf(DRAFT, "http://localhost").split("-d '");
  const text = body.slice(0, -1).replaceAll(`'\\''`, "'");
  expect(JSON.parse(text)).toEqual(requestOf(DRAFT));
});

test.each([
  [{ pct: "0" }, "pct"],
  [{ pct: "12.5" }, "pct"],
  [{ samples: "many" }, "samples"],
  [{ temperature: "2.1" }, "temperature"],
  [{ model: ["good"] }, "model"],
  [{ base_url: "localhost:8000" }, "base_url"],
  [{ options: "top_k=40" }, "options"],
  [{ stop: '["a", 1]' }, "stop"],
  [{ base_urls: '{"vllm/a": 1}' }, "base_urls"],
] as const)("%o is refused before it is sent", (draft, field) => {
  expect(Object.keys(problemsOf(draftOf(draft)))).toEqual([field]);
});

test("all names that cannot be models are told together", () => {
  const problems = problemsOf(draftOf({ model: ["sgl", "sim/good", "x"] }));
  expect(problems.model).toBe("sgl, x are not of the form provider/name");
});

test("a complete draft has no problems", () => {
  expect(problemsOf(DRAFT)).toEqual({});
});

test.each([
  [{ stop_when: "decided" }, { until: "decided" }, "decided"],
  [
    { stop_when: "equivalent", stop_margin: "2", stop_alpha: "0.01" },
    { until: "equivalent", margin: 0.02, alpha: 0.01 },
    "'equivalent within 2 points, alpha 0.01'",
  ],
  [{ stop_when: "better", stop_margin: "2" }, { until: "better" }, "better"],
  [{ stop_when: "bar", stop_bar: "0.7" }, { bar: 0.7 }, "'score > 0.7'"],
])("a stopping rule is sent, and said on the command line: %j", (fields, stop, condition) => {
  const draft = draftOf({ ...DRAFT, ...fields });
  expect(requestOf(draft).stop).toEqual(stop);
  expect(commandOf(draft)).toContain(`--stop-when ${condition}`);
  expect(problemsOf(draft)).toEqual({});
});

test("a comparison that stops takes two models, and a rule that is none is dropped", () => {
  expect(problemsOf(draftOf({ model: "sim/good", stop_when: "decided" }))).toHaveProperty("stop_when");
  expect(problemsOf(draftOf({ model: "sim/good", stop_when: "bar" }))).toEqual({});
  expect(requestOf(draftOf({ ...DRAFT, stop_when: "whenever" })).stop).toBeUndefined();
});
