import { expect, test } from "vitest";
import { bandPath, itemTicks, limitPath, valueRange, valueTicks } from "./sequence";

const POINTS = [
  { items: 10, low: -0.9, high: 1 },
  { items: 40, low: -0.1, high: 0.5 },
  { items: 90, low: 0.05, high: 0.3 },
];

test("ticks are round numbers of items within the axis", () => {
  expect(itemTicks(10, 130)).toEqual([10, 20, 50, 100]);
  expect(itemTicks(3, 4)).toEqual([]);
});

test("the band goes along the upper limits and back along the lower", () => {
  const path = bandPath(
    POINTS,
    (items) => items,
    (value) => value * 10,
  );
  expect(path).toBe("M10,10L40,5L90,3L90,0.5L40,-1L10,-9Z");
  expect(bandPath([], Number, Number)).toBe("");
});

test("values have round ticks, zero among them", () => {
  expect(valueTicks(-0.25, 0.66)).toEqual([0, 0.5]);
  expect(valueTicks(-0.03, 0.05)).toEqual([-0.02, 0, 0.02, 0.04]);
  expect(limitPath(POINTS.map(({ items, low }) => [items, low]))).toBe("M10,-0.9L40,-0.1L90,0.05");
});

test("what is shown holds the marks and the later limits, not the first wide ones", () => {
  const [low, high] = valueRange(POINTS, [0, -0.2], -1);
  expect(low).toBeLessThan(-0.2);
  expect(low).toBeGreaterThan(-0.5);
  expect(high).toBeGreaterThan(0.5);
  expect(high).toBeLessThan(0.7);
});
