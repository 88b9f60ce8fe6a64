import { expect, test } from "vitest";
import { inWordsOfTheUi, typeset } from "./wording";

test("fields of the API have the names of the form", () => {
  expect(inWordsOfTheUi("no judge is named: give one with `config.judge`; `config.judge` again")).toBe(
    "no judge is named: give one with “Judges”; “Judges” again",
  );
  expect(inWordsOfTheUi("`other` stays")).toBe("`other` stays");
});

test("a sentence has one minus sign, and its figures stay with their units", () => {
  expect(typeset("worse by 2.5 points (95 % interval -3.1 to -1.9, p < 0.001, 24 items), sim/a-1")).toBe(
    "worse by 2.5\u00a0points (95\u202f% interval \u22123.1 to \u22121.9, p\u00a0<\u00a00.001, 24\u00a0items), sim/a-1",
  );
});
