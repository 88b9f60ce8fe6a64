import { expect, test } from "vitest";
import { filtersFrom, withFilter } from "./savedFilters";

test("what is stored is read again, without what is not understood", () => {
  const failed = { name: "Failed", search: { status: "failed", tag: "nightly" } };
  const stored = [
    failed,
    { name: 3, search: {} },
    { name: "x" },
    null,
    { name: "y", search: { page: 4, pick: "a" } },
  ];
  expect(filtersFrom(JSON.stringify(stored))).toEqual([failed, { name: "y", search: {} }]);
});

test.each([null, "", "{", "7", '{"name":"x"}'])("%o holds no filter", (text) => {
  expect(filtersFrom(text)).toEqual([]);
});

test("a filter takes the place of one of the same name", () => {
  const one = { name: "b", search: { q: "one" } };
  const two = { name: "a", search: {} };
  expect(withFilter([one, two], { name: "b", search: { q: "two" } })).toEqual([
    two,
    { name: "b", search: { q: "two" } },
  ]);
});
