import { expect, test } from "vitest";
import { grouped, linesText } from "./faults";

test("faults that say the same stand together", () => {
  const missing = { field: "expected", reason: "is missing" };
  const found = grouped([
    { line: 3, ...missing },
    { line: 4, field: "custom_id", reason: "is used twice" },
    { line: 5, ...missing },
  ]);
  expect(found).toEqual([
    { ...missing, lines: [3, 5] },
    { field: "custom_id", reason: "is used twice", lines: [4] },
  ]);
});

test.each([
  [[0], "file"],
  [[7, 3, 5, 6], "3, 5–7"],
  [[1200], "1,200"],
  [[1, 3, 5, 7, 9, 11, 13, 15, 16], "1, 3, 5, 7, 9, 11 and 3 more"],
])("lines %o are %s", (lines, text) => {
  expect(linesText(lines)).toBe(text);
});
