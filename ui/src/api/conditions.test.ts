import { expect, test } from "vitest";
import { conditionsOf } from "./conditions";

test("differences are named in words, unknown ones by their field name", () => {
  expect(conditionsOf(["items_checksum", "judge", "novelty"])).toBe(
    "items that were asked, judge and novelty",
  );
  expect(conditionsOf(["samples"])).toBe("samples per item");
});
