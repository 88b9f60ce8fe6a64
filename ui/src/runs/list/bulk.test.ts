import { expect, test } from "vitest";
import { tagged, tagsIn } from "./bulk";

test("tags are typed with spaces or commas, with or without their mark", () => {
  expect(tagsIn(" nightly, #v1.2  nightly")).toEqual(["nightly", "v1.2"]);
  expect(tagsIn(" , ")).toEqual([]);
});

test("tags are added to those of the run and taken away", () => {
  expect(tagged(["ci", "old"], { added: ["a", "ci"], removed: ["old", "none"] })).toEqual(["a", "ci"]);
});
