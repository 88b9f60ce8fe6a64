import { expect, test } from "vitest";
import { evidenceOf } from "./evidence";

test("reports of the sandbox and of the program are separated", () => {
  const found = evidenceOf({
    tests: 5,
    cpu_s: 0.013808999,
    output: "0",
    note: "one\ntwo",
    sandbox: { backend: "bubblewrap", isolation: "namespaces", enforced: ["cpu"], verified: true },
  });
  expect(found.sandbox?.backend).toBe("bubblewrap");
  expect(found.facts).toEqual({ tests: "5", "CPU (s)": "0.01381" });
  expect(found.logs.map(({ name }) => name)).toEqual(["output", "note"]);
});

test("log-probabilities are facts beside the grader's", () => {
  const logprobs = { tokens: 12, mean: -0.123456, lowest: -3.5 };
  expect(evidenceOf({ tests: 5, logprobs }).facts).toEqual({
    tests: "5",
    "mean log-probability": "-0.1235",
    "lowest log-probability": "-3.5",
    "tokens with log-probability": "12",
  });
  expect(evidenceOf({ logprobs: "none" }).facts).toEqual({});
});

test("the robust reading, votes and single demands are read", () => {
  const found = evidenceOf({
    robust: { extracted: "C", is_correct: true },
    votes: [
      { judge: "a", correct: false },
      { judge: "b", error: "no reply" },
    ],
    instructions: ["title", "bullets"],
    strict: [true, false],
    loose: [true, true],
  });
  expect(found.robust).toEqual({ extracted: "C", isCorrect: true });
  expect(found.votes.map(({ isCorrect }) => isCorrect)).toEqual([false, undefined]);
  expect(found.checks[1]).toEqual({
    name: "bullets",
    verdicts: [
      { name: "strict", isMet: false },
      { name: "loose", isMet: true },
    ],
  });
  expect(found.facts).toEqual({});
});

test("steps are demands too, and what is odd stays readable", () => {
  const found = evidenceOf({ steps: { "1.1": "pass", "1.2": "fail" }, prewritten: [], sandbox: "none" });
  expect(found.checks.map(({ verdicts }) => verdicts[0]?.isMet)).toEqual([true, false]);
  expect(found.sandbox).toBeUndefined();
});

test("the first failed case of a program stands apart from what else was said", () => {
  const details = { failed_case: { input: "1\n", expected: "2" }, output: "3", tests: 5 };
  const { failed, facts } = evidenceOf(details);
  expect(failed).toEqual({ input: "1\n", expected: "2", actual: "3" });
  expect(facts).toEqual({ tests: "5" });
  // A program that ended without an output.
  expect(evidenceOf({ failed_case: { input: "1", expected: "2" } }).failed?.actual).toBeUndefined();
  expect(evidenceOf({ output: "3" }).failed).toBeUndefined();
});

test("the answer of an earlier run is marked, and its id is no fact", () => {
  const found = evidenceOf({ reused_from: "an evaluation", tests: 5 });
  expect(found.isReused).toBe(true);
  expect(found.facts).toEqual({ tests: "5" });
  expect(evidenceOf({}).isReused).toBe(false);
});
