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
  });
  expect(found?.rest).toEqual({ task: "go, bug fix, easy", stdout: "hello" });
});

test("details of other graders are left alone", () => {
  expect(codeEvidenceOf({ tests: 5, passed: 3 })).toBeUndefined();
  expect(codeEvidenceOf({})).toBeUndefined();
});
