/** The Markdown that models write, as data. There is no HTML in it: what looks like HTML is text. */
export type Inline =
  | { kind: "text" | "code" | "strong" | "emphasis"; text: string }
  | { kind: "link"; text: string; target: string };

export type Block =
  | { kind: "paragraph"; lines: Inline[][] }
  | { kind: "heading"; level: number; content: Inline[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "list"; isOrdered: boolean; start: number; items: Inline[][] }
  | { kind: "quote"; lines: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "rule" };

const FENCE = /^\s{0,3}(```+|~~~+)\s*(\S*)/;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;
const BULLET = /^\s*[-*+]\s+(.*)$/;
const NUMBERED = /^\s*(\d{1,9})[.)]\s+(.*)$/;
const QUOTE = /^\s{0,3}>\s?(.*)$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const [block, next] = blockAt(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

type Found = [block: Block | undefined, next: number];

function blockAt(lines: readonly string[], at: number): Found {
  const line = lines[at] ?? "";
  if (line.trim() === "") return [undefined, at + 1];
  if (FENCE.test(line)) return fenced(lines, at);
  const heading = HEADING.exec(line);
  if (heading) {
    return [{ kind: "heading", level: heading[1]?.length ?? 1, content: inlineOf(heading[2] ?? "") }, at + 1];
  }
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (BULLET.test(line) || NUMBERED.test(line)) return listed(lines, at);
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

function listed(lines: readonly string[], at: number): Found {
  const first = NUMBERED.exec(lines[at] ?? "");
  const pattern = first ? NUMBERED : BULLET;
  const items: string[] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    const found = pattern.exec(line);
    if (found) items.push(found.at(-1) ?? "");
    else if (line.startsWith("  ") && line.trim() !== "" && items.length > 0)
      items.push(`${items.pop()} ${line.trim()}`);
    else break;
  }
  const content = items.map(inlineOf);
  return [{ kind: "list", isOrdered: first !== null, start: Number(first?.[1] ?? 1), items: content }, end];
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
  while (end < lines.length && !startsBlock(lines[end] ?? "")) end += 1;
  return [{ kind: "paragraph", lines: lines.slice(at, end).map(inlineOf) }, end];
}

function startsBlock(line: string): boolean {
  return line.trim() === "" || [FENCE, HEADING, BULLET, NUMBERED, QUOTE, RULE].some((one) => one.test(line));
}

const LONGEST_LINE = 8_000;
const INLINE =
  /(?<code>`+)(?<inCode>.+?)\k<code>|(?<image>!?)\[(?<label>[^\]]*)\]\((?<target>[^()\s]*)(?:\s[^)]*)?\)|(?<bold>\*\*|__)(?=\S)(?<inBold>.+?)\k<bold>|(?<![\w*])\*(?=[^\s*])(?<inItalic>[^*]+?)\*(?!\w)/g;

export function inlineOf(text: string): Inline[] {
  // The pattern looks ahead from every marker: on a line of markers alone that would take too long.
  if (text.length > LONGEST_LINE) return [{ kind: "text", text }];
  const parts: Inline[] = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > last) parts.push({ kind: "text", text: text.slice(last, match.index) });
    parts.push(partOf(match.groups ?? {}));
    last = match.index + match[0].length;
  }
  if (last < text.length) parts.push({ kind: "text", text: text.slice(last) });
  return parts;
}

function partOf(groups: Record<string, string | undefined>): Inline {
  if (groups["inCode"] !== undefined) return { kind: "code", text: groups["inCode"] };
  if (groups["inBold"] !== undefined) return { kind: "strong", text: groups["inBold"] };
  if (groups["inItalic"] !== undefined) return { kind: "emphasis", text: groups["inItalic"] };
  const label = groups["label"] ?? "";
  const target = groups["target"] ?? "";
  // An image would make the browser send a request to an address that the model chose.
  return { kind: "link", text: groups["image"] ? `image: ${label}` : label, target };
}
