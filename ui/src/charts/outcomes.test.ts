import { expect, test } from "vitest";
import { missingCount, OUTCOMES, occurred, toneOf, ungraded } from "./outcomes";

test("only outcomes that occurred are drawn, verdicts before missing data", () => {
  const drawn = occurred({ timeout: 2, correct: 7, truncated: 1, refused: 0 });
  expect(drawn.map(({ outcome, count }) => [outcome, count])).toEqual([
    ["correct", 7],
    ["truncated", 1],
    ["timeout", 2],
  ]);
});

test("no two outcomes share a label", () => {
  expect(new Set(OUTCOMES.map(({ label }) => label)).size).toBe(OUTCOMES.length);
});

test("a reply with nothing to grade it by is neither an error nor a verdict", () => {
  const counts = { answered: 40, timeout: 2, model_error: 1, correct: 5 };
  expect(missingCount(counts)).toBe(3);
  expect(ungraded(counts)).toBe("Not graded: 40 answers");
  expect(ungraded({ answered: 1 })).toBe("Not graded: 1 answer");
  expect(ungraded({ correct: 5 })).toBeUndefined();
  expect(occurred(counts).map((one) => toneOf(one))).toEqual(["correct", "answered", "missing", "missing"]);
});
