import { expect, test } from "vitest";
import { cumulative, rangeOf } from "./distribution";

const SERIES = {
  label: "a",
  bins: [
    { low: 1, high: 2, count: 1 },
    { low: 2, high: 4, count: 3 },
    { low: 4, high: 8, count: 0 },
  ],
};

test("shares grow to one", () => {
  expect(cumulative(SERIES)).toEqual([
    { value: 2, share: 0.25 },
    { value: 4, share: 1 },
    { value: 8, share: 1 },
  ]);
});

test("empty bins do not widen the axis", () => {
  expect(rangeOf([SERIES])).toEqual([1, 4]);
  expect(rangeOf([{ label: "b", bins: [] }])).toBeUndefined();
});
