import { expect, test } from "vitest";
import { type Block, blocksOf, type Inline, inlineOf } from "./markdown";

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

test("names with lines around them stay names", () => {
  for (const text of ["call __init__ of it", "snake__case and a__b c__d", "__main__", "____"]) {
    expect(inlineOf(text)).toEqual([{ kind: "text", text }]);
  }
  expect(inlineOf("__two words__")).toEqual([{ kind: "strong", text: "two words" }]);
});

function outline(blocks: Block[]): unknown[] {
  return blocks.map((block) => {
    if (block.kind === "list") return [block.isOrdered ? block.start : "*", ...block.items.map(outline)];
    return block.kind === "paragraph" ? block.lines.flat().map(textOf).join(" ") : block.kind;
  });
}

function textOf(part: Inline): string {
  return part.kind === "math" ? part.tex : part.text;
}

test("lists keep their levels, and what belongs to an item stays in it", () => {
  const text =
    "1. one\n   - a\n   - b\n     - deep\n2. two\n   goes on\n\n   ```\n   x\n   ```\n\n3. three\nafter it\n\nend";
  expect(outline(blocksOf(text))).toEqual([
    [1, ["one", ["*", ["a"], ["b", ["*", ["deep"]]]]], ["two goes on", "code"], ["three after it"]],
    "end",
  ]);
});

test("a list of another kind is another list", () => {
  expect(outline(blocksOf("- a\n- b\n\n4) c"))).toEqual([
    ["*", ["a"], ["b"]],
    [4, ["c"]],
  ]);
});

test("endless nesting ends", () => {
  const started = performance.now();
  const text = Array.from({ length: 300 }, (_, level) => `${" ".repeat(2 * level)}- x`).join("\n");
  expect(JSON.stringify(blocksOf(text)).split('"kind":"list"')).toHaveLength(13);
  expect(performance.now() - started).toBeLessThan(1_000);
});
