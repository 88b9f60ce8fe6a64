import { expect, test } from "vitest";
import { logScale } from "./logScale";

test("decades are equally far apart", () => {
  const scale = logScale(1, 1_000);
  expect(scale.at(1)).toBe(0);
  expect(scale.at(10)).toBeCloseTo(1 / 3);
  expect(scale.at(1_000)).toBe(1);
});

test("values beyond the ends stay at them", () => {
  const scale = logScale(10, 100);
  expect([scale.at(1), scale.at(1e6)]).toEqual([0, 1]);
});

test.each([
  [1, 10],
  [0.002, 0.008],
  [1, 1e4],
  [1e-3, 1e9],
])("from %d to %d there are a few ticks, all inside", (low, high) => {
  const { ticks } = logScale(low, high);
  expect(ticks.length).toBeGreaterThan(0);
  expect(ticks.length).toBeLessThanOrEqual(7);
  for (const tick of ticks) expect(tick >= low * 0.999 && tick <= high * 1.001).toBe(true);
});
