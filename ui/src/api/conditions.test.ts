import { expect, test } from "vitest";
import { conditionsOf } from "./conditions";

test("what differs is told in words, and what is not known by its name", () => {
  expect(conditionsOf(["items_checksum", "judge", "novelty"])).toBe(
    "items that were asked, judge and novelty",
  );
  expect(conditionsOf(["samples"])).toBe("samples per item");
});
