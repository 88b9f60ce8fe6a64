import { expect, test } from "vitest";
import { familiesOf, namesOf, originOf, variantName } from "./families";

const cards = (...names: string[]) => names.map((name) => ({ name }));

test("variants stand with their benchmark, data sets for themselves", () => {
  const found = familiesOf(cards("aime:robust", "aime", "orphan:a", "dataset:x@1", "dataset:x@2"));
  expect(found.map(({ card, variants }) => [card.name, variants.map(({ name }) => name)])).toEqual([
    ["aime", ["aime:robust"]],
    ["orphan:a", []],
    ["dataset:x@1", []],
    ["dataset:x@2", []],
  ]);
  expect(originOf("dataset:x@1")).toBe("dataset:x@1");
  expect(variantName("aime:robust")).toBe("robust");
});

test("a search finds a benchmark by the names of other tools", () => {
  expect(namesOf({ name: "ifbench", display_name: "IFBench", aliases: ["if_bench"] })).toContain("if_bench");
});
