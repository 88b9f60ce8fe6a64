import { expect, test } from "vitest";
import { isMode, isNarrowed, isQueue, itemsSearch, MODES, modesFor, narrowed } from "./search";

test("a complete search survives", () => {
  const search = {
    model: "sim/good",
    benchmark: "ifeval",
    outcome: ["incorrect", "timeout"],
    q: "paraffin",
    sort: "-duration",
    item: "a/b",
    sample: 2,
    at: 17,
  };
  expect(itemsSearch({ ...search, sample: "2", at: "17" })).toEqual(search);
});

test("what makes no sense is dropped", () => {
  expect(itemsSearch({ outcome: ["exploded"], sort: "price", at: "-1", sample: "x", q: " " })).toEqual({});
});

test("another filter closes the panel and keeps the rest", () => {
  const search = itemsSearch({ model: "m", item: "1", at: "0", q: "x" });
  expect(narrowed(search, { outcome: ["correct"] })).toEqual({ model: "m", q: "x", outcome: ["correct"] });
});

test("each mode is recognised", () => {
  for (const mode of MODES) {
    expect(MODES.filter((one) => isMode(one, mode.outcomes))).toEqual([mode]);
  }
});

function offered(counts: Record<string, number>): string[] {
  return modesFor(counts).map(({ label }) => label);
}

test("the filters offered are those that something fits", () => {
  expect(offered({ answered: 40 })).toEqual(["All", "Not graded", "Errors"]);
  expect(offered({ answered: 5, correct: 5 })).toEqual([
    "All",
    "Correct",
    "Not correct",
    "Not graded",
    "Errors",
  ]);
  expect(offered({ correct: 3 })).toEqual(["All", "Correct", "Not correct", "Errors"]);
  expect(offered({})).toEqual(["All", "Correct", "Not correct", "Errors"]);
});

test("filters by label, category and figures stand in the address", () => {
  const search = itemsSearch({
    label: ["none", "odd"],
    category: "law",
    minTokens: "10",
    maxTime: "-1",
    each: "true",
  });
  expect(search).toEqual({ label: ["none"], category: ["law"], minTokens: 10, each: true });
  expect([isQueue(search), isQueue({ label: ["none", "fix"] }), isQueue({})]).toEqual([true, false, false]);
  expect([isNarrowed(search), isNarrowed({ model: "sim/good", sort: "score" })]).toEqual([true, false]);
});
