import { expect, test } from "vitest";
import { groupsOf, optionsOf, passRate, tallyOf, tallyText, type TaskRow } from "./taskTable";

function row(id: string, language: string | null, statuses: TaskRow["statuses"]): TaskRow {
  return { id, title: null, language, statuses };
}

const ROWS = [
  row("a", "go", [
    ["passed", "failed"],
    [null, null],
  ]),
  row("b", "python", [
    ["error", "api_error"],
    ["passed", null],
  ]),
  row("c", "go", [["passed", "api_error"], []]),
];

test("tasks are grouped by language, in the order of the run", () => {
  const groups = groupsOf([...ROWS, row("d", null, [])]);
  expect(groups.map(({ language, tasks }) => [language, tasks.map(({ id }) => id)])).toEqual([
    ["go", ["a", "c"]],
    ["python", ["b"]],
    [undefined, ["d"]],
  ]);
});

test("attempts without a verdict count in no rate", () => {
  const first = tallyOf(ROWS, 0);
  expect(first).toEqual({ passed: 2, failed: 1, error: 1, api_error: 2, waiting: 0 });
  expect(passRate(first)).toBe(0.5);
  expect(tallyText(first)).toBe("2 passed, 1 failed, 1 error, 2 API errors");
  expect(tallyOf(ROWS, 1)).toMatchObject({ passed: 1, waiting: 3 });
  expect(passRate(tallyOf(ROWS.slice(0, 1), 1))).toBeUndefined();
});

test("a column is named by what differs from the benchmark as it is", () => {
  const column = { model: "sim/good", benchmark: "code_catalogue", level: "base", options: [] };
  expect(optionsOf(column)).toBe("");
  expect(optionsOf({ ...column, level: "high", options: ["include-tests"] })).toBe(
    "thinking high, include-tests",
  );
});
