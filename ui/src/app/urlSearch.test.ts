import { expect, test } from "vitest";
import { parseSearch, stringifySearch } from "./urlSearch";

test("lists are repeated keys, and names of models stay readable", () => {
  const text = stringifySearch({ model: ["ollama/qwen3:4b", "sim/good"], pct: 10, seed: undefined });
  expect(text).toBe("?model=ollama/qwen3:4b&model=sim/good&pct=10");
  expect(parseSearch(text)).toEqual({ model: ["ollama/qwen3:4b", "sim/good"], pct: "10" });
});

test("signs that would split an address survive", () => {
  const search = { q: "a&b=c #d+e %2F" };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

test("nothing is written for nothing", () => {
  expect(stringifySearch({ a: undefined, b: [], c: "" })).toBe("");
});
