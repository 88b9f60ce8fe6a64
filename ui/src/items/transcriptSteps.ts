import type { AttemptDetail } from "../api/client";
import type { Turn } from "../api/messages";

type Call = AttemptDetail["calls"][number];

/** What the model did at once: its message, and all that came of it before the next one. */
export interface Step {
  turns: Turn[];
  /** The exchange that it took; undefined where it cannot be told which one it was. */
  call: Call | undefined;
}

/** A conversation as what was there before the model spoke, and its steps. */
export function stepsOf(turns: readonly Turn[], calls: readonly Call[]): { opening: Turn[]; steps: Step[] } {
  const opening: Turn[] = [];
  const steps: Step[] = [];
  for (const turn of turns) {
    if (turn.role === "assistant") steps.push({ turns: [turn], call: undefined });
    else (steps.at(-1)?.turns ?? opening).push(turn);
  }
  const made = calls.filter(({ role, error_code }) => role === "model" && error_code === null);
  // A first line that the benchmark gives takes no call.
  const given = steps.length - made.length;
  if (given === 0 || given === 1) {
    steps.forEach((step, place) => {
      step.call = made[place - given];
    });
  }
  return { opening, steps };
}

const LONGEST_TITLE = 80;

/** What the model did in a step, in a line: the tools it called, or how its message or its JSON begins. */
export function stepTitle({ turns: [said] }: Step): string {
  if (!said) return "";
  if (said.toolCalls.length > 0) return said.toolCalls.map(({ name }) => name).join(", ");
  const [line = ""] = (firstValue(said.text) ?? said.text).trim().split("\n");
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE)}…` : line;
}

/** Whether any text of the step has the words, in any case. */
export function isFound({ turns }: Step, search: string): boolean {
  const wanted = search.toLowerCase();
  return turns.some(({ text, toolCalls }) =>
    [text, ...toolCalls.flatMap(({ name, input }) => [name, input])].some((one) =>
      one.toLowerCase().includes(wanted),
    ),
  );
}

/** A reply that is JSON, as agents give commands, laid out to be read; undefined for other text. */
export function laidOutJson(text: string): string | undefined {
  const parsed = parsedReply(text);
  return parsed === undefined ? undefined : JSON.stringify(parsed, null, 2);
}

/** What a tool was given or gave, a line for each part; texts of several lines, such as code, keep them. */
export function laidOutParts(text: string): string {
  const parsed = parsedReply(text);
  if (parsed === undefined) return text;
  return Object.entries(parsed)
    .map(([name, value]) => {
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      return shown.includes("\n") ? `${name}:\n${shown.replace(/\n$/, "")}` : `${name}: ${shown}`;
    })
    .join("\n");
}

function firstValue(text: string): string | undefined {
  return Object.values(parsedReply(text) ?? {}).find((value) => typeof value === "string");
}

function parsedReply(text: string): object | undefined {
  const inner = /^\s*(?:```json\s*)?(\{[\s\S]*\})\s*(?:```)?\s*$/.exec(text)?.[1];
  if (inner === undefined) return undefined;
  try {
    return JSON.parse(inner);
  } catch {
    return undefined;
  }
}
