import { expect, test } from "vitest";
import { blocksOf, inlineOf } from "./markdown";

test("the parts of a usual answer are recognised", () => {
  const blocks = blocksOf(
    "# Title\n\nSome **bold** text.\nSecond line.\n\n1. one\n2. two\n\n```py\nx = 1\n```\n---\n> said",
  );
  expect(blocks.map(({ kind }) => kind)).toEqual(["heading", "paragraph", "list", "code", "rule", "quote"]);
});

test("a fence that is never closed holds the rest", () => {
  expect(blocksOf("```\n<b>x")).toEqual([{ kind: "code", language: "", text: "<b>x" }]);
});

test.each(["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "&lt;b&gt;"])(
  "%s stays text",
  (text) => {
    expect(inlineOf(text)).toEqual([{ kind: "text", text }]);
  },
);

test("neither links nor images are followed: both keep their target as text", () => {
  expect(inlineOf("![pixel](https://evil.example/p.png)")).toEqual([
    { kind: "link", text: "image: pixel", target: "https://evil.example/p.png" },
  ]);
  expect(inlineOf("[click](javascript:alert)")).toEqual([
    { kind: "link", text: "click", target: "javascript:alert" },
  ]);
});

test("multiplication is not emphasis", () => {
  expect(inlineOf("2*3*4 and a * b")).toEqual([{ kind: "text", text: "2*3*4 and a * b" }]);
});

test("a table has a head and rows", () => {
  const [table] = blocksOf("| a | b |\n|---|---|\n| 1 | 2 |");
  expect(table).toMatchObject({ kind: "table", rows: [[[{ text: "1" }], [{ text: "2" }]]] });
});

test("a long line of markers is read in no time", () => {
  const started = performance.now();
  blocksOf(`${"*".repeat(20_000)}\n${"[".repeat(20_000)}\n${"`".repeat(20_000)}`);
  expect(performance.now() - started).toBeLessThan(1_000);
});
