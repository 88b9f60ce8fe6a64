import { expect, test } from "vitest";
import { codeEvidenceOf } from "./codeEvidence";

const DETAILS = {
  language: "go",
  type: "bug_fix",
  difficulty: "easy",
  status: "failed",
  answer: { format: "git_diff", repairs: ["hunk_counts"], fallback: null, patch: "diff --git a/x b/x\n" },
  tests: [
    { name: "TestA", result: "passed", message: "" },
    { name: "TestB", result: "strange", message: "not reached" },
  ],
  stdout: "hello",
};

test("tests, patch and form of an answer to a code task", () => {
  const found = codeEvidenceOf(DETAILS);
  expect(found?.code).toEqual({
    tests: [
      { name: "TestA", result: "passed", message: "" },
      { name: "TestB", result: "not_run", message: "not reached" },
    ],
    patch: "diff --git a/x b/x\n",
    form: "a git diff, repaired: hunk counts",
    unlisted: 0,
  });
  expect(found?.rest).toEqual({ task: "go, bug fix, easy", stdout: "hello" });
});

test("the changes of an agent in a repository, with the tests that did not pass", () => {
  const found = codeEvidenceOf({ passed: 2, missing: ["test_b"], ended: "ok" }, "diff --git a/x b/x\n");
  expect(found?.code).toEqual({
    tests: [{ name: "test_b", result: "failed", message: "" }],
    patch: "diff --git a/x b/x\n",
    form: "a diff of the repository",
    unlisted: 2,
  });
  expect(found?.rest).toEqual({ ended: "ok" });
});

test("the tests of a task in a terminal", () => {
  const found = codeEvidenceOf({ tests: [{ name: "test_a", result: "passed" }], agent_ended: "done" });
  expect(found?.code.tests).toEqual([{ name: "test_a", result: "passed", message: "" }]);
  expect(found?.rest).toEqual({ agent_ended: "done" });
});

test("details of other graders are left alone", () => {
  expect(codeEvidenceOf({ tests: 5, passed: 3 })).toBeUndefined();
  expect(codeEvidenceOf({})).toBeUndefined();
});
