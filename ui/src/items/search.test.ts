import { expect, test } from "vitest";
import { isMode, itemsSearch, MODES, narrowed } from "./search";

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
