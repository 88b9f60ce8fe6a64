import { expect, test } from "vitest";
import { levelIn } from "./code";

test.each([
  ["code_catalogue", "base"],
  ["code_catalogue:include-tests", "base"],
  ["code_catalogue:include-tests+thinking=high+provider=x", "high"],
  ["code_catalogue:thinking=budget_tokens=64", "budget_tokens=64"],
])("the thinking level of %s is %s", (benchmark, level) => {
  expect(levelIn(benchmark)).toBe(level);
});
