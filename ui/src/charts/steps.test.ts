import { expect, test } from "vitest";
import { changes, stepPath, wholeTicks } from "./steps";

const same = (value: number) => value;

test("a value holds until the next", () => {
  const path = stepPath(
    [
      { at: 0, value: 1 },
      { at: 2, value: 3 },
    ],
    same,
    same,
  );
  expect(path).toBe("M0,1H2V3");
  expect(stepPath([], same, same)).toBe("");
});

test.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [9, [0, 5, 10]],
  [120, [0, 50, 100, 150]],
])("counts up to %d are marked at whole numbers", (highest, expected) => {
  expect(wholeTicks(highest)).toEqual(expected);
});

test("a table tells only of changes, and how it ends", () => {
  expect(changes([1, 1, 2, 2, 2], (a, b) => a === b)).toEqual([1, 2, 2]);
});
