import { lean, oneOf, text, texts } from "../api/searchParams";

export const VIEWS = ["run", "leaderboard"] as const;
export type View = (typeof VIEWS)[number];

export const FLAGS = [
  "include_tests",
  "allow_incomplete_diffs",
  "allow_diff_rewrite_fallback",
  "include_thinking_variants",
  "sweep_thinking_levels",
] as const;
export type Flag = (typeof FLAGS)[number];

const TEXTS = ["samples", "temperature", "max_tokens", "thinking", "provider"] as const;
export type TextField = (typeof TEXTS)[number];

/** What the page shows, and the run that is being filled in; numbers stay as typed until they are valid. */
export interface CodeSearch {
  view?: View;
  model?: string[];
  /** Ids of the chosen tasks; without any, all that can be tested here are chosen. */
  task?: string[];
  samples?: string;
  temperature?: string;
  max_tokens?: string;
  thinking?: string;
  provider?: string;
  option?: Flag[];
  /** Key of the board that is shown, and a part of the models' names. */
  board?: string;
  q?: string;
}

/** Keeps what is understood and drops the rest, so that any URL shows something. */
export function codeSearch(raw: Record<string, unknown>): CodeSearch {
  const search: CodeSearch = lean({
    view: oneOf(raw["view"], VIEWS),
    model: texts(raw["model"]),
    task: texts(raw["task"]),
    option: texts(raw["option"]).flatMap((one) => oneOf(one, FLAGS) ?? []),
    board: text(raw["board"]),
    q: text(raw["q"]),
  });
  for (const field of TEXTS) {
    const value = text(raw[field]);
    if (value !== undefined) search[field] = value;
  }
  return search;
}
