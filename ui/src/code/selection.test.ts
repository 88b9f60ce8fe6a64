import { expect, test } from "vitest";
import type { CodeTask } from "../api/code";
import { askedFor, chosenIds, isExactly, NONE, withTasks } from "./selection";

function task(id: string, available = true): CodeTask {
  const reason = available ? null : "no compiler";
  return { id, title: id, language: "go", type: "bug_fix", difficulty: "easy", tests: 1, available, reason };
}

const TASKS = [task("a"), task("b"), task("c", false)];

test("without a choice, all tasks that can be tested here are chosen", () => {
  expect(chosenIds(TASKS, undefined)).toEqual(["a", "b"]);
  expect(chosenIds(TASKS, [])).toEqual(["a", "b"]);
  expect(chosenIds(TASKS, ["b", "c", "unknown"])).toEqual(["b"]);
});

test("a selection survives the URL", () => {
  for (const chosen of [[], ["a"], ["a", "b"]]) {
    expect(chosenIds(TASKS, askedFor(TASKS, chosen))).toEqual(chosen);
  }
  expect(askedFor(TASKS, ["a", "b"])).toEqual([]);
  expect(askedFor(TASKS, [])).toEqual([NONE]);
});

test("tasks are added and taken away together, except those that cannot be tested", () => {
  expect(withTasks(["a"], TASKS, true)).toEqual(["a", "b"]);
  expect(withTasks(["a", "b"], [task("b")], false)).toEqual(["a"]);
  expect(isExactly(["b", "a"], TASKS)).toBe(true);
  expect(isExactly(["a"], TASKS)).toBe(false);
  expect(isExactly([], [task("c", false)])).toBe(false);
});
