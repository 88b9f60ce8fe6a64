import { renderToc, tableOfContents } from "/workspace/src/toc.js";

/** The tree as nested lists of texts. */
const texts = (entries) => entries.map(({ text, children }) => (children.length > 0 ? [text, texts(children)] : text));

/** Depths and texts of all entries, without the tree. */
const flat = (entries) => entries.flatMap(({ depth, text, children }) => [`${depth} ${text}`, ...flat(children)]);

const slugs = (entries) => entries.flatMap(({ slug, children }) => [slug, ...slugs(children)]);

const toc = (lines, options) => tableOfContents(lines.join("\n"), options);

export function entries(observe) {
  observe(toc(["# Guide", "", "Some text.", "## First steps", "More.", "### On a Mac", "## Last words", "# Index"]));
  observe(tableOfContents("no heading\n#hash tag\n####### seven"));
  observe(tableOfContents(""));
}

export function skipped_levels(observe) {
  observe(texts(toc(["### c", "# a", "#### d", "### e", "###### f", "## b", "##### g", "#### h", "# i"])));
  observe(texts(toc(["## x", "# y", "## z"])));
}

export function lines_that_are_headings(observe) {
  observe(
    flat(
      toc([
        " # one blank",
        "   ## three blanks",
        "    # four blanks",
        "\t# tab",
        "#\ttab behind",
        "#no blank",
        "####### seven",
        "###### six",
        "> # quoted",
        "- # listed",
        "Underlined",
        "==========",
        "\\# escaped",
        "#",
        "##  ",
        "#    far away   ",
      ]),
    ),
  );
  observe(flat(tableOfContents("# a\r\n## b\r\r\n### c\n\r# d \u2028 e\r")));
}

export function closing_marks(observe) {
  observe(
    flat(
      toc([
        "## a ##",
        "# b#",
        "# c ######   ",
        "### d ### #",
        "# # e",
        "# #",
        "# f \t#\t",
        "# C# and F#",
        "# ## g ##",
        "## ##",
      ]),
    ),
  );
}

export function fenced_code(observe) {
  observe(
    flat(
      toc([
        ...["# a", "```sh", "# comment", "~~~", "# comment", "```", "# b"],
        ...["~~~~ text ` with ~ marks", "# no", "~~~", "# no", "```", "   ~~~~~  \t", "# c"],
        ...["  ````", "# no", "```", "# no", "```` js", "# no", "    ````", "# no", "````", "# d"],
        ...["``` not `a fence", "# e", "    ```", "# f", "``", "# g"],
      ]),
    ),
  );
  observe(flat(toc(["# a", "```", "# b", "``", "# c", "", "# d"])));
}

export function comments(observe) {
  observe(
    flat(
      toc([
        ...["<!-- # no -->", "# a <!-- hidden --> b", "<!--", "# no", "```", "-->", "# c"],
        ...["text <!-- begins", "# no", "ends --> text", "# d"],
        ...["<!-- one --> # e <!-- two -->f<!-- three", "# no", "--># g", "# h <!--", "# no", "--> ## behind"],
        ...["<!-- <!-- --> # i", "#<!-- x --> j", "#<!-- x -->k", "<!-- x -->", "# l"],
      ]),
    ),
  );
  observe(flat(toc(["# a", "# b <!-- begins", "# c", "```", "# d", "--", "# e"])));
}

export function fences_and_comments(observe) {
  observe(
    flat(
      toc([
        ...["```html", "<!-- not closed", "```", "# a"],
        ...["~~~ <!--", "# no", "~~~", "# b"],
        ...["<!-- x --> ```", "# no", "```", "# c"],
        ...["<!--", "```", "# no", "-->", "# d", "```", "# no", "-->", "# no"],
      ]),
    ),
  );
}

export function comments_and_code_spans(observe) {
  observe(
    flat(
      toc([
        "# Write `<!--` first",
        "# Then ``a ` <!-- ` b``",
        "Text with `<!--` in it",
        "# A lone ` <!-- hidden --> mark",
        "# a <!-- ` --> b ` c <!-- ` --> d",
        "# Two `marks`` <!-- hidden -->",
        "# `x` <!-- y --> `z`",
        "``` one `<!--",
        "# no",
        "--> # last",
      ]),
    ),
  );
}

export function markup_in_texts(observe) {
  observe(
    flat(
      toc([
        "# The **bold** and *the* `code`",
        '# `a * b` * [the `max_depth` option](opt.md#max) of [it]( x "title" )',
        "# ![Logo *new*](logo.png) Name [] (x)",
        "# see [1] and (2), not [a](b",
        "# snake_case __init__ \\* * ** ***",
        "#  a \t b\u00a0c  ",
        "# `[x](y)` `` ` `` ```**```",
        "# [ spaced ](t)",
        "# **",
        "# []()",
        "# ` `",
      ]),
    ),
  );
}

export function slugs_of_texts(observe) {
  observe(
    slugs(
      toc([
        "# Getting Started!",
        "# What's new in 2.0?",
        "# A - B -- c_d",
        "# ÜBER Straße & Naïve",
        "# 日本語 テスト",
        "# हिन्दी",
        "# C++ (and C#)",
        "# `code()` **now** [link](x)",
        "# ...",
        "# ?! &",
        "# ٣½",
      ]),
    ),
  );
}

export function unique_slugs(observe) {
  observe(slugs(toc(["# A", "# a", "# A 1", "# a!", "# A-1", "# a 1 1", "# A"])));
  observe(slugs(toc(["# ?", "# Section", "# !"])));
  observe(slugs(toc(["# constructor", "# toString", "# __proto__", "# Constructor", "# __proto__"])));
  observe(slugs(toc(["# x-1", "#", "# x", "# **", "# x"])));
}

export function depth_range(observe) {
  const lines = ["# a", "## b", "### c", "#### d", "### e", "# f", "### g", "## h", "#### i", "# j"];
  observe(texts(toc(lines, { minDepth: 2 })));
  observe(texts(toc(lines, { maxDepth: 2 })));
  observe(texts(toc(lines, { minDepth: 2, maxDepth: 3 })));
  observe(texts(toc(lines, { minDepth: 4, maxDepth: 4 })));
  observe(texts(toc(["## a", "# b", "### c", "##", "### d", "## e", "#### f"], { minDepth: 2 })));
  observe(slugs(toc(["# x", "## x", "#### x", "## x"], { minDepth: 2, maxDepth: 3 })));
}

export function list(observe) {
  observe(renderToc(toc(["# a", "### b", "## c", "#### d", "# e"])));
  observe(renderToc(toc(["## A_b `*` [x", "# `\\<i>` ] ok", "# # - + > 1."])));
  observe(renderToc(toc(["# Top", "## Same", "## Same", "### Deep"], { minDepth: 2 })));
  observe(`<${renderToc([])}>`);
}

export function wrong_arguments(observe) {
  for (const wrong of [undefined, null, 7, ["# a"], Buffer.from("# a")]) {
    observe.throws(TypeError, () => tableOfContents(wrong));
  }
  const ranges = [{ minDepth: 0 }, { maxDepth: 7 }, { minDepth: 2.5 }, { maxDepth: "3" }, { minDepth: NaN }];
  for (const options of [...ranges, { minDepth: null }, { minDepth: 4, maxDepth: 3 }]) {
    observe.throws(RangeError, () => tableOfContents("# a", options));
  }
  observe(flat(tableOfContents("# one\n###### six deep\n##### five", { minDepth: 6, maxDepth: 6 })));
}
