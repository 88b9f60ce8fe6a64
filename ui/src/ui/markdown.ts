import { INLINE_MATH, isMath, mathBlockAt, mathIn } from "./math";

/** The Markdown that models write, as data. There is no HTML in it: what looks like HTML is text. */
export type Inline =
  | { kind: "text" | "code" | "strong" | "emphasis"; text: string }
  | { kind: "link"; text: string; target: string }
  | { kind: "math"; tex: string; isDisplay: boolean };

export type Block =
  | { kind: "paragraph"; lines: Inline[][] }
  | { kind: "heading"; level: number; content: Inline[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "list"; isOrdered: boolean; start: number; items: Block[][] }
  | { kind: "quote"; lines: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "math"; tex: string }
  | { kind: "rule" };

const FENCE = /^\s{0,3}(```+|~~~+)\s*(\S*)/;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;
const MARKER = /^(?<indent>\s*)(?:(?<number>\d{1,9})[.)]|[-*+])(?<gap>\s+)(?=\S)/;
const QUOTE = /^\s{0,3}>\s?(.*)$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Lists in lists below this are text. */
const DEEPEST = 12;

export function blocksOf(markdown: string): Block[] {
  return blocksIn(markdown.replaceAll("\r\n", "\n").split("\n"), 0);
}

function blocksIn(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const [block, next] = blockAt(lines, at, depth);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

type Found = [block: Block | undefined, next: number];

function blockAt(lines: readonly string[], at: number, depth: number): Found {
  const line = lines[at] ?? "";
  if (line.trim() === "") return [undefined, at + 1];
  if (FENCE.test(line)) return fenced(lines, at);
  const heading = HEADING.exec(line);
  if (heading) {
    return [{ kind: "heading", level: heading[1]?.length ?? 1, content: inlineOf(heading[2] ?? "") }, at + 1];
  }
  const formula = mathBlockAt(lines, at);
  if (formula) return [{ kind: "math", tex: formula[0] }, formula[1]];
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (MARKER.test(line) && depth < DEEPEST) return listed(lines, at, depth);
  if (QUOTE.test(line)) return quoted(lines, at);
  if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "")) return tabled(lines, at);
  return paragraph(lines, at);
}

function fenced(lines: readonly string[], at: number): Found {
  const [, fence = "```", language = ""] = FENCE.exec(lines[at] ?? "") ?? [];
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? "").trim().startsWith(fence)) end += 1;
  return [{ kind: "code", language, text: lines.slice(at + 1, end).join("\n") }, end + 1];
}

interface Marker {
  indent: number;
  /** Where the text of the item begins, and with it what belongs to the item on the lines below. */
  content: number;
  number: string | undefined;
}

function markerOf(line: string): Marker | undefined {
  const found = MARKER.exec(line);
  if (!found) return undefined;
  const { indent = "", number } = found.groups ?? {};
  return { indent: indent.length, content: found[0].length, number };
}

function listed(lines: readonly string[], at: number, depth: number): Found {
  const first = markerOf(lines[at] ?? "");
  const isOrdered = first?.number !== undefined;
  const items: Block[][] = [];
  let next = at;
  for (;;) {
    const marker = markerOf(lines[next] ?? "");
    const isOfList =
      marker && (marker.number !== undefined) === isOrdered && marker.indent < (first?.indent ?? 0) + 2;
    if (!isOfList) break;
    const end = itemEnd(lines, next, marker);
    const own = lines.slice(next, end).map((line, place) => dedented(line, marker, place));
    items.push(blocksIn(own, depth + 1));
    next = end;
    // Items may stand apart.
    let after = next;
    while (after < lines.length && (lines[after] ?? "").trim() === "") after += 1;
    if (markerOf(lines[after] ?? "")) next = after;
  }
  return [{ kind: "list", isOrdered, start: Number(first?.number ?? 1), items }, next];
}

/** The line after the last of an item: what is indented belongs to it, and text that goes on with its paragraph. */
function itemEnd(lines: readonly string[], at: number, marker: Marker): number {
  let end = at + 1;
  let isApart = false;
  for (let place = end; place < lines.length; place += 1) {
    const line = lines[place] ?? "";
    if (line.trim() === "") {
      isApart = true;
      continue;
    }
    const isIndented = line.length - line.trimStart().length >= marker.indent + 2;
    if (!isIndented && (isApart || startsBlock(line))) break;
    isApart = false;
    end = place + 1;
  }
  return end;
}

function dedented(line: string, marker: Marker, place: number): string {
  if (place === 0) return line.slice(marker.content);
  const indent = line.length - line.trimStart().length;
  return line.slice(Math.min(indent, marker.content));
}

function quoted(lines: readonly string[], at: number): Found {
  const inside: string[] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const found = QUOTE.exec(lines[end] ?? "");
    if (!found) break;
    inside.push(found[1] ?? "");
  }
  return [{ kind: "quote", lines: inside.map(inlineOf) }, end];
}

function tabled(lines: readonly string[], at: number): Found {
  const rows: Inline[][][] = [];
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) {
    rows.push(cellsOf(lines[end] ?? ""));
    end += 1;
  }
  return [{ kind: "table", head: cellsOf(lines[at] ?? ""), rows }, end];
}

function cellsOf(line: string): Inline[][] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => inlineOf(cell.trim()));
}

function paragraph(lines: readonly string[], at: number): Found {
  let end = at + 1;
  while (end < lines.length && !startsBlock(lines[end] ?? "") && !mathBlockAt(lines, end)) end += 1;
  return [{ kind: "paragraph", lines: lines.slice(at, end).map(inlineOf) }, end];
}

function startsBlock(line: string): boolean {
  return line.trim() === "" || [FENCE, HEADING, MARKER, QUOTE, RULE].some((one) => one.test(line));
}

const LONGEST_LINE = 8_000;
// A name between two pairs of lines, such as __init__, is a name.
const MARKUP =
  /(?<code>`+)(?<inCode>.+?)\k<code>|(?<image>!?)\[(?<label>[^\]]*)\]\((?<target>[^()\s]*)(?:\s[^)]*)?\)|\*\*(?=\S)(?<inBold>.+?)\*\*|(?<!\w)__(?=\S)(?!\w+__(?!\w))(?<inLines>.+?)__(?!\w)|(?<![\w*])\*(?=[^\s*])(?<inItalic>[^*]+?)\*(?!\w)/;
const INLINE = new RegExp(`${MARKUP.source.replace("|", `|${INLINE_MATH.source}|`)}`, "g");

export function inlineOf(text: string): Inline[] {
  // The pattern looks ahead from every marker: on a line of markers alone that would take too long.
  if (text.length > LONGEST_LINE) return [{ kind: "text", text }];
  const parts: Inline[] = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > last) parts.push({ kind: "text", text: text.slice(last, match.index) });
    parts.push(partOf(match.groups ?? {}, match[0]));
    last = match.index + match[0].length;
  }
  if (last < text.length) parts.push({ kind: "text", text: text.slice(last) });
  return parts;
}

function partOf(groups: Record<string, string | undefined>, whole: string): Inline {
  const formula = mathIn(groups);
  if (formula) return { kind: "math", ...formula };
  if (isMath(groups)) return { kind: "text", text: whole };
  if (groups["inCode"] !== undefined) return { kind: "code", text: groups["inCode"] };
  const strong = groups["inBold"] ?? groups["inLines"];
  if (strong !== undefined) return { kind: "strong", text: strong };
  if (groups["inItalic"] !== undefined) return { kind: "emphasis", text: groups["inItalic"] };
  const label = groups["label"] ?? "";
  const target = groups["target"] ?? "";
  // An image would make the browser send a request to an address that the model chose.
  return { kind: "link", text: groups["image"] ? `image: ${label}` : label, target };
}
