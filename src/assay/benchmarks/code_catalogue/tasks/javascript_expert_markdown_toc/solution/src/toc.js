const LINE_END = /\r\n|\n|\r/;
const FENCE = /^ {0,3}(?:(`{3,})[^`]*|(~{3,})[^]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+([^]*))?$/;
const CLOSING_MARKS = /(?:^|[ \t]+)#+[ \t]*$/;
const LINK = /!?\[([^[\]]*)\]\([^)]*\)/g;

/** The headings of a document as a tree of `{ depth, text, slug, children }`. */
export function tableOfContents(markdown, { minDepth = 1, maxDepth = 6 } = {}) {
  if (typeof markdown !== "string") throw new TypeError("the document must be a string");
  for (const depth of [minDepth, maxDepth]) {
    if (!Number.isInteger(depth) || depth < 1 || depth > 6) {
      throw new RangeError(`a depth is a whole number from 1 to 6, not ${String(depth)}`);
    }
  }
  if (minDepth > maxDepth) throw new RangeError(`nothing is between the depths ${minDepth} and ${maxDepth}`);

  const top = { depth: 0, children: [] };
  let open = [top];
  const takenSlugs = new Set();
  for (const { depth, source } of headings(markdown)) {
    const text = plainText(source);
    if (text === "") continue;
    const slug = uniqueSlug(text, takenSlugs);
    open = open.filter((section) => section.depth < depth);
    if (depth < minDepth || depth > maxDepth) continue;
    const entry = { depth, text, slug, children: [] };
    open.at(-1).children.push(entry);
    open.push(entry);
  }
  return top.children;
}

/** The tree as a nested Markdown list of links. */
export function renderToc(entries) {
  return lines(entries, "").join("\n");
}

function lines(entries, indentation) {
  return entries.flatMap(({ text, slug, children }) => [
    `${indentation}- [${text.replace(/[\\`*_[\]<]/g, "\\$&")}](#${slug})`,
    ...lines(children, `${indentation}  `),
  ]);
}

/** Depth and source text of every heading. */
function* headings(markdown) {
  let closingFence;
  let isInComment = false;
  for (const line of markdown.split(LINE_END)) {
    if (closingFence !== undefined) {
      if (closingFence.test(line)) closingFence = undefined;
      continue;
    }
    let left = line;
    if (isInComment || !FENCE.test(line)) [left, isInComment] = withoutComments(line, isInComment);
    const fence = FENCE.exec(left);
    if (fence !== null) {
      const marks = fence[1] ?? fence[2];
      closingFence = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t]*$`);
      continue;
    }
    const heading = HEADING.exec(left);
    if (heading !== null) yield { depth: heading[1].length, source: (heading[2] ?? "").replace(CLOSING_MARKS, "") };
  }
}

/** What is left of a line, and whether a comment goes on in the next one. */
function withoutComments(line, isInComment) {
  let left = "";
  let rest = line;
  let isInside = isInComment;
  for (;;) {
    if (isInside) {
      const end = rest.indexOf("-->");
      if (end < 0) return [left, true];
      rest = rest.slice(end + 3);
      isInside = false;
    }
    const start = commentStart(rest);
    if (start < 0) return [left + rest, false];
    left += rest.slice(0, start);
    rest = rest.slice(start + 4);
    isInside = true;
  }
}

/** Where the first `<!--` outside of code spans is, or -1. */
function commentStart(line) {
  const spans = codeSpans(line);
  let start = line.indexOf("<!--");
  while (start >= 0 && spans.some((span) => span.start < start && start < span.end)) {
    start = line.indexOf("<!--", start + 1);
  }
  return start;
}

/** Begin, end and content of the code spans of a line. */
function codeSpans(line) {
  const runs = [...line.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  const spans = [];
  for (let first = 0; first < runs.length; first += 1) {
    const last = runs.findIndex((run, place) => place > first && run.length === runs[first].length);
    if (last < 0) continue;
    const { index: start, length } = runs[first];
    const end = runs[last].index + length;
    spans.push({ start, end, content: line.slice(start + length, runs[last].index) });
    first = last;
  }
  return spans;
}

/** A heading's text without its markup. */
function plainText(source) {
  const spans = codeSpans(source);
  // A character that Markdown does not allow stands for code spans, so that nothing happens in them.
  let masked = "";
  let place = 0;
  for (const [index, { start, end }] of spans.entries()) {
    masked += `${source.slice(place, start)}\0${index}\0`;
    place = end;
  }
  masked += source.slice(place);
  return masked
    .replace(LINK, "$1")
    .replaceAll("*", "")
    .replace(/\0(\d+)\0/g, (mask, index) => spans[index]?.content ?? mask)
    .replace(/\s+/g, " ")
    .trim();
}

function uniqueSlug(text, taken) {
  const plain = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N} _-]/gu, "");
  const base = plain.replaceAll(" ", "-") || "section";
  let slug = base;
  for (let number = 1; taken.has(slug); number += 1) slug = `${base}-${number}`;
  taken.add(slug);
  return slug;
}
