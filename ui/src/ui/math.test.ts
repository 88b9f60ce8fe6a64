import { expect, test } from "vitest";
import { blocksOf, inlineOf } from "./markdown";

function formulas(text: string): string[] {
  return inlineOf(text).flatMap((part) => (part.kind === "math" ? [part.tex] : []));
}

test("formulas are read in the forms that models write", () => {
  expect(formulas("so $x^2 + y^2$ and \\(a_1\\), \\[ \\frac12 \\] or $$E = mc^2$$ or $n$")).toEqual([
    "x^2 + y^2",
    "a_1",
    "\\frac12",
    "E = mc^2",
    "n",
  ]);
});

test("money, code and shell variables are no formulas", () => {
  for (const text of [
    "it costs $5 and $10",
    "from $5 to $7, or 5$ and 7$",
    "`$x^2$`",
    "echo $HOME and $PATH",
  ]) {
    expect(formulas(text), text).toEqual([]);
  }
});

test("a formula may stand on lines of its own", () => {
  expect(blocksOf("so\n$$\na = b\n+ c\n$$\nthen")).toEqual([
    { kind: "paragraph", lines: [[{ kind: "text", text: "so" }]] },
    { kind: "math", tex: "a = b\n+ c" },
    { kind: "paragraph", lines: [[{ kind: "text", text: "then" }]] },
  ]);
  expect(blocksOf("\\[ x \\]")).toEqual([{ kind: "math", tex: "x" }]);
  // One that never ends is text.
  expect(blocksOf("$$ a\n\nb")[0]?.kind).toBe("paragraph");
});

test("a line of dollars takes no time", () => {
  const began = performance.now();
  inlineOf("$".repeat(7_900));
  inlineOf("$a ".repeat(2_600));
  inlineOf("\\(".repeat(3_900));
  expect(performance.now() - began).toBeLessThan(1_000);
});
