import { expect, test } from "vitest";
import { OUTCOMES, occurred } from "./outcomes";

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
