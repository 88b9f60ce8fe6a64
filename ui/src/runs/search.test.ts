import { expect, test } from "vitest";
import { narrowed, runsSearch } from "./search";

test("a complete search survives", () => {
  const search = { model: "qwen", benchmark: "ifeval", status: "failed", page: 3 };
  expect(runsSearch(search)).toEqual(search);
});

test.each([
  [{ status: "exploded" }],
  [{ page: 1 }],
  [{ page: -2 }],
  [{ page: "x" }],
  [{ model: "  " }],
  [{ model: { nested: true } }],
  [{ utm_source: "mail" }],
])("%o leaves nothing to filter by", (raw) => {
  expect(runsSearch(raw)).toEqual({});
});

test("a model's name may look like a number", () => {
  expect(runsSearch({ model: 4 })).toEqual({ model: "4" });
});

test("another filter starts at the first page", () => {
  const search = { model: "qwen", page: 3 } as const;
  expect(narrowed(search, { status: "failed" })).toEqual({ model: "qwen", status: "failed" });
  expect(narrowed(search, { model: undefined })).toEqual({});
});
