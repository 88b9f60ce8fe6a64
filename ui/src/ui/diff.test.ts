import { expect, test } from "vitest";
import { differences } from "./diff";

const marked = (text: string, other: string) =>
  differences(text, other)
    .map((part) => (part.isShared ? part.text : `[${part.text}]`))
    .join("");

test("what only one of them says is marked", () => {
  expect(marked("the answer is B", "the answer is C")).toBe("the answer is [B]");
  expect(marked("so it is 4, since 2 + 2", "it is 4, since 2 + 2")).toBe("[so] it is 4, since 2 + 2");
});

test("equal texts have nothing to mark, and nothing is lost", () => {
  expect(marked("a\n b  c", "a\n b  c")).toBe("a\n b  c");
  expect(
    differences("x y z", "q")
      .map(({ text }) => text)
      .join(""),
  ).toBe("x y z");
});

test("texts too long to compare are shown as they are", () => {
  const long = "word ".repeat(5_000);
  expect(differences(long, "other")).toEqual([{ text: long, isShared: true }]);
});
