/** TeX in a line of Markdown: between dollars or in the parentheses and brackets of LaTeX. */
export interface MathPart {
  tex: string;
  isDisplay: boolean;
}

// A dollar before a digit or a blank is money, unless what is between the dollars looks like a formula.
export const INLINE_MATH =
  /(?<display>\$\$(?<inDollars>[^$]+?)\$\$|\\\[(?<inBrackets>.+?)\\\])|\\\((?<inParentheses>.+?)\\\)|(?<![\\$\w])\$(?=\S)(?<inDollar>(?:\\.|[^$\\])+?)(?<=\S)\$(?![\w$])/;

const LONGEST = 2_000;
const FORMULA = /[\\^_={}<>+*/]|^[A-Za-z]$|^[A-Za-z]\(/;

export function mathIn(groups: Record<string, string | undefined>): MathPart | undefined {
  const isDisplay = groups["display"] !== undefined;
  const certain = groups["inDollars"] ?? groups["inBrackets"] ?? groups["inParentheses"];
  const single = groups["inDollar"];
  const tex = certain ?? (single !== undefined && isFormula(single) ? single : undefined);
  return tex === undefined || tex.length > LONGEST ? undefined : { tex: tex.trim(), isDisplay };
}

/** Whether the pattern took the text for a formula, even if it is none. */
export function isMath(groups: Record<string, string | undefined>): boolean {
  return ["inDollars", "inBrackets", "inParentheses", "inDollar"].some((name) => groups[name] !== undefined);
}

/** "$5 and $" is money; "$x$" and "$a^2$" are formulas. */
function isFormula(text: string): boolean {
  return FORMULA.test(text) || /^-?\d+(?:\.\d+)?$/.test(text);
}

const OPENS = [
  ["$$", "$$"],
  ["\\[", "\\]"],
] as const;

/** A formula that stands on lines of its own, and the line after it. */
export function mathBlockAt(lines: readonly string[], at: number): [tex: string, next: number] | undefined {
  const first = (lines[at] ?? "").trim();
  const pair = OPENS.find(([open]) => first.startsWith(open));
  if (!pair) return undefined;
  const [open, close] = pair;
  const inside = first.slice(open.length);
  if (inside.endsWith(close)) return [inside.slice(0, -close.length).trim(), at + 1];
  const taken = [inside];
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = (lines[next] ?? "").trimEnd();
    if (line.endsWith(close)) return [[...taken, line.slice(0, -close.length)].join("\n").trim(), next + 1];
    if (line.trim() === "" || taken.join("\n").length > LONGEST) return undefined;
    taken.push(line);
  }
  return undefined;
}
