import { expect, test } from "vitest";
import { cellAfter, cellAt, cellText } from "./matrixCell";

const EXTENT = { rows: 10, columns: 2, width: 500 };

test("a point is in the cell that is drawn there", () => {
  expect(cellAt(0, 0, EXTENT)).toEqual({ row: 0, column: 0 });
  expect(cellAt(499, 30, EXTENT)).toEqual({ row: 9, column: 1 });
  expect(cellAt(500, 0, EXTENT)).toBeUndefined();
  expect(cellAt(10, 60, EXTENT)).toBeUndefined();
});

test("arrows move by one cell and stop at the edges", () => {
  expect(cellAfter("ArrowRight", undefined, EXTENT)).toEqual({ row: 0, column: 0 });
  expect(cellAfter("ArrowRight", { row: 0, column: 0 }, EXTENT)).toEqual({ row: 1, column: 0 });
  expect(cellAfter("ArrowDown", { row: 3, column: 1 }, EXTENT)).toEqual({ row: 3, column: 1 });
  expect(cellAfter("a", { row: 3, column: 1 }, EXTENT)).toBeUndefined();
  expect(cellAfter("ArrowUp", undefined, { ...EXTENT, rows: 0 })).toBeUndefined();
});

test("a score is put into words", () => {
  expect([1, 0.5, 0, null, undefined].map((score) => cellText(score))).toEqual([
    "solved",
    "partly solved, 50 %",
    "not solved",
    "no score",
    "no score",
  ]);
});
