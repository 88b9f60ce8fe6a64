import type { CodeRunRequest } from "../api/code";
import { numberProblem, type NumberRule } from "../numbers";
import { shellWord } from "../shell";
import type { CodeSearch, Flag, TextField } from "./search";

const RULES: Partial<Record<TextField, NumberRule>> = {
  samples: { isWhole: true, from: 1, to: 10 },
  temperature: { isWhole: false, from: 0, to: 2 },
  max_tokens: { isWhole: true, from: 1, to: 1e12 },
};
const LEVEL = /^(budget_tokens=[1-9]\d{0,8}|[\w./-]{1,64})$/;
const PROVIDER = /^[\w./-]{1,64}$/;

export type Problems = Partial<Record<keyof CodeSearch, string>>;

/** What can be said to be wrong without asking the server. */
export function problemsOf(search: CodeSearch): Problems {
  const problems: Problems = {};
  for (const field of ["samples", "temperature", "max_tokens"] as const) {
    const problem = numberProblem(search[field], RULES[field]);
    if (problem) problems[field] = problem;
  }
  for (const model of search.model ?? []) {
    if (!/^[^/\s]+\/\S+$/.test(model)) problems.model = `${model} is not of the form provider/name`;
  }
  if (search.thinking && !LEVEL.test(search.thinking)) {
    problems.thinking = "A word such as high, or budget_tokens=N";
  }
  if (search.provider && !PROVIDER.test(search.provider)) problems.provider = "A name without spaces";
  return problems;
}

/** What is sent to the server; `tasks` is undefined for all. */
export function requestOf(search: CodeSearch, tasks: readonly string[] | undefined): CodeRunRequest {
  const request: CodeRunRequest = { models: search.model ?? [] };
  if (tasks) request.tasks = [...tasks];
  if (search.samples) request.samples = Number(search.samples);
  if (search.temperature) request.temperature = Number(search.temperature);
  if (search.max_tokens) request.max_tokens = Number(search.max_tokens);
  if (search.provider) request.provider = search.provider;
  if (search.thinking) request.thinking_level = search.thinking;
  for (const flag of search.option ?? []) request[flag] = true;
  return request;
}

const OPTIONS: readonly [field: TextField, option: string][] = [
  ["samples", "--samples"],
  ["temperature", "--temperature"],
  ["max_tokens", "--max-tokens"],
  ["thinking", "--thinking-level"],
  ["provider", "--provider"],
];

export function commandOf(search: CodeSearch, tasks: readonly string[] | undefined): string {
  const words = ["assay", "code", "run", "--models", shellWord((search.model ?? []).join(",") || "MODEL")];
  words.push("--tasks", tasks ? shellWord(tasks.join(",") || "ID") : "all");
  for (const [field, option] of OPTIONS) {
    const value = search[field];
    if (value !== undefined) words.push(option, shellWord(value));
  }
  return [...words, ...(search.option ?? []).map(optionOf)].join(" ");
}

function optionOf(flag: Flag): string {
  return `--${flag.replaceAll("_", "-")}`;
}

/** How many attempts a run makes: several levels are asked one after the other. */
export function attemptsOf(search: CodeSearch, tasks: number): number {
  return tasks * (search.model?.length ?? 0) * (Number(search.samples) || 1) * levelsOf(search).length;
}

/** The thinking levels that are asked for; `base` is none. */
export function levelsOf({ thinking, option = [] }: CodeSearch): string[] {
  const isSweep = option.includes("sweep_thinking_levels");
  if (!isSweep && !option.includes("include_thinking_variants")) return [thinking ?? "base"];
  const levels = isSweep ? ["low", "medium", "high"] : [thinking ?? "medium"];
  return [...new Set(["base", ...levels, ...(thinking ? [thinking] : [])])];
}
