import { expect, test } from "vitest";
import { attemptsOf, commandOf, levelsOf, problemsOf, requestOf } from "./request";
import { codeSearch } from "./search";

const SEARCH = codeSearch({
  model: ["sim/good", "openrouter/qwen/qwen3"],
  samples: "3",
  temperature: "0.5",
  thinking: "budget_tokens=2048",
  provider: "deepinfra",
  option: ["include_tests", "sweep_thinking_levels", "install_deps"],
});

test("a filled form becomes what the API takes", () => {
  expect(requestOf(SEARCH, ["a", "b"])).toEqual({
    models: ["sim/good", "openrouter/qwen/qwen3"],
    tasks: ["a", "b"],
    samples: 3,
    temperature: 0.5,
    thinking_level: "budget_tokens=2048",
    provider: "deepinfra",
    include_tests: true,
    sweep_thinking_levels: true,
  });
  expect(requestOf(codeSearch({ model: "sim/good" }), undefined)).toEqual({ models: ["sim/good"] });
});

test("the command line says the same", () => {
  expect(commandOf(SEARCH, ["a", "b"])).toBe(
    "assay code run --models sim/good,openrouter/qwen/qwen3 --tasks a,b --samples 3 --temperature 0.5" +
      " --thinking-level budget_tokens=2048 --provider deepinfra --include-tests --sweep-thinking-levels",
  );
  expect(commandOf({}, undefined)).toBe("assay code run --models MODEL --tasks all");
});

test("a sweep asks without a level too, and at the given one once", () => {
  expect(levelsOf({})).toEqual(["base"]);
  expect(levelsOf({ thinking: "low" })).toEqual(["low"]);
  expect(levelsOf({ option: ["include_thinking_variants"] })).toEqual(["base", "medium"]);
  expect(levelsOf({ thinking: "low", option: ["include_thinking_variants"] })).toEqual(["base", "low"]);
  expect(levelsOf({ thinking: "high", option: ["sweep_thinking_levels"] })).toEqual([
    "base",
    "low",
    "medium",
    "high",
  ]);
  expect(attemptsOf(SEARCH, 7)).toBe(7 * 2 * 3 * 5);
});

test.each([
  [{ samples: "11" }, "samples"],
  [{ temperature: "2.1" }, "temperature"],
  [{ max_tokens: "1.5" }, "max_tokens"],
  [{ thinking: "very high" }, "thinking"],
  [{ thinking: "budget_seconds=3" }, "thinking"],
  [{ provider: "deep infra" }, "provider"],
  [{ model: "good" }, "model"],
] as const)("%o is refused before it is sent", (raw, field) => {
  expect(Object.keys(problemsOf(codeSearch(raw)))).toEqual([field]);
});

test("a complete form has no problems", () => {
  expect(problemsOf(SEARCH)).toEqual({});
});
