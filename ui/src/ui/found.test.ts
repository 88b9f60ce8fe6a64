import { expect, test } from "vitest";
import { cutAt, placesOf } from "./found";

test("parts are found in either case of ASCII letters, as literal text", () => {
  expect(placesOf("Lamp, lamp and LAMP", "lamp")).toEqual([0, 6, 15]);
  expect(placesOf("aaaa", "aa")).toEqual([0, 2]);
  expect(placesOf("a.c abc", "a.c")).toEqual([0]);
  // Lower case of İ is longer: places after it must not move.
  expect(placesOf("İ Lamp", "lamp")).toEqual([2]);
  expect(placesOf("any", "")).toEqual([]);
});

test("a text is cut where the part stands", () => {
  expect(cutAt("a Lamp", "lamp")).toEqual([
    { text: "a ", isFound: false },
    { text: "Lamp", isFound: true },
  ]);
  expect(cutAt("none", undefined)).toEqual([{ text: "none", isFound: false }]);
});
