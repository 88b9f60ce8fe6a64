import { expect, test } from "vitest";
import type { Estimate } from "../api/client";
import { categoriesOf } from "./categories";

const estimate = (value: number, n: number): Estimate => ({
  value,
  n,
  interval: null,
  standard_error: null,
  clusters: null,
});

test("categories of all series stand side by side, those with the most items first", () => {
  const found = categoriesOf([
    { id: "1", label: "a", categories: { law: estimate(0.5, 10), art: estimate(0.2, 10) } },
    { id: "2", label: "b", categories: { physics: estimate(1, 30), law: estimate(0.4, 9) } },
  ]);
  expect(found.map(({ name, items }) => [name, items])).toEqual([
    ["physics", 30],
    ["art", 10],
    ["law", 10],
  ]);
  expect(found.map(({ estimates }) => estimates.map((one) => one?.value ?? null))).toEqual([
    [null, 1],
    [0.2, null],
    [0.5, 0.4],
  ]);
});
