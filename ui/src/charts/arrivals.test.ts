import { expect, test } from "vitest";
import { gapsOf, longestGaps, medianOf, notableGaps, timeTicks } from "./arrivals";

const steady = Array.from({ length: 50 }, (_, place) => 400 + 20 * place);

test("a steady stream has nothing to mark", () => {
  expect(gapsOf(steady)).toHaveLength(49);
  expect(notableGaps(gapsOf(steady))).toEqual([]);
});

test("a stall and an unusual gap are marked, the longest first", () => {
  const broken = [...steady, 1_500, 1_520, 4_000];
  expect(notableGaps(gapsOf(broken)).map(({ ms, isStall }) => [ms, isStall])).toEqual([
    [2_480, true],
    [120, false],
  ]);
  expect(longestGaps(gapsOf(broken), 1)[0]).toMatchObject({ from: 1_520, to: 4_000 });
});

test("one chunk and none have no gaps", () => {
  expect(gapsOf([])).toEqual([]);
  expect(gapsOf([12])).toEqual([]);
  expect(medianOf([])).toBe(0);
});

test("the axis has round moments", () => {
  expect(timeTicks(1_870, 5)).toEqual([0, 500, 1_000, 1_500]);
  expect(timeTicks(0, 5)).toEqual([0]);
});
