import type { Case } from "./FailedCase";

/** What graders report besides the verdict, by what it is about. */
export interface Evidence {
  robust: Robust | undefined;
  sandbox: Sandbox | undefined;
  votes: Vote[];
  checks: Check[];
  facts: Record<string, string>;
  logs: { name: string; text: string }[];
  failed: Case | undefined;
  /** An earlier run got the answer. */
  isReused: boolean;
}

/** How a reader that forgives mistakes of form understood the answer, where that differs. */
export interface Robust {
  extracted: string | null;
  isCorrect: boolean;
}

export interface Sandbox {
  backend: string;
  isolation: string;
  enforced: string[];
  verified: boolean;
}

export interface Vote {
  judge: string;
  isCorrect: boolean | undefined;
  error: string | undefined;
}

/** One of several demands on an answer. */
export interface Check {
  name: string;
  verdicts: { name: string; isMet: boolean }[];
}

type Values = Record<string, unknown>;

/** Names under which programs and services say what happened to them. */
const LOGS = new Set(["output", "stdout", "stderr", "log", "logs", "traceback"]);

const LOGPROBS: readonly [name: string, words: string][] = [
  ["mean", "mean log-probability"],
  ["lowest", "lowest log-probability"],
  ["tokens", "tokens with log-probability"],
];

export function evidenceOf(details: Values): Evidence {
  const { robust, sandbox, votes, instructions, steps, failed_case, logprobs, reused_from, ...read } =
    details;
  const failed = caseOf(failed_case, read["output"]);
  const { output: _shown, ...unshown } = read;
  const rest = failed?.actual === undefined ? read : unshown;
  const { strict, loose, ...others } = rest;
  const isChecked = Array.isArray(instructions);
  const unread = isChecked ? others : rest;
  const entries = Object.entries(unread).filter(([, value]) => value !== null && !isEmpty(value));
  return {
    robust: robustOf(robust),
    sandbox: sandboxOf(sandbox),
    votes: Array.isArray(votes) ? votes.filter(isValues).map(voteOf) : [],
    checks: isChecked ? instructionChecks(instructions, { strict, loose }) : stepChecks(steps),
    facts: {
      ...Object.fromEntries(
        entries.filter((one) => !isLog(one)).map(([name, value]) => [label(name), asText(value)]),
      ),
      ...logprobFacts(logprobs),
    },
    failed,
    isReused: typeof reused_from === "string",
    logs: entries.filter(isLog).map(([name, value]) => ({ name: label(name), text: asText(value) })),
  };
}

function isLog([name, value]: [string, unknown]): boolean {
  return LOGS.has(name) || asText(value).includes("\n");
}

function logprobFacts(value: unknown): Record<string, string> {
  if (!isValues(value)) return {};
  return Object.fromEntries(
    LOGPROBS.flatMap(([name, words]) => (name in value ? [[words, asText(value[name])]] : [])),
  );
}

function caseOf(value: unknown, output: unknown): Case | undefined {
  if (!isValues(value) || typeof value["expected"] !== "string") return undefined;
  return {
    input: asText(value["input"]),
    expected: value["expected"],
    actual: typeof output === "string" ? output : undefined,
  };
}

function robustOf(value: unknown): Robust | undefined {
  if (!isValues(value) || typeof value["is_correct"] !== "boolean") return undefined;
  const found = value["extracted"];
  return { extracted: typeof found === "string" ? found : null, isCorrect: value["is_correct"] };
}

function sandboxOf(value: unknown): Sandbox | undefined {
  if (!isValues(value) || typeof value["backend"] !== "string") return undefined;
  const enforced = Array.isArray(value["enforced"]) ? value["enforced"].map(String) : [];
  return {
    backend: value["backend"],
    isolation: asText(value["isolation"]),
    enforced,
    verified: value["verified"] === true,
  };
}

function voteOf(value: Values): Vote {
  return {
    judge: asText(value["judge"]),
    isCorrect: typeof value["correct"] === "boolean" ? value["correct"] : undefined,
    error: typeof value["error"] === "string" ? value["error"] : undefined,
  };
}

function instructionChecks(names: readonly unknown[], by: Values): Check[] {
  return names.map((name, place) => ({
    name: String(name),
    verdicts: Object.entries(by).flatMap(([reading, verdicts]) =>
      Array.isArray(verdicts) && typeof verdicts[place] === "boolean"
        ? [{ name: reading, isMet: verdicts[place] }]
        : [],
    ),
  }));
}

function stepChecks(steps: unknown): Check[] {
  if (!isValues(steps)) return [];
  return Object.entries(steps).map(([name, verdict]) => ({
    name: `step ${name}`,
    verdicts: [{ name: asText(verdict), isMet: verdict === "pass" }],
  }));
}

const UNITS: readonly [suffix: string, unit: string][] = [
  ["_s", " (s)"],
  ["_ms", " (ms)"],
  ["_usd", " (USD)"],
];

/** `error_code` is "error code", `cpu_s` is "CPU (s)". */
function label(name: string): string {
  const [suffix, unit] = UNITS.find(([end]) => name.endsWith(end)) ?? ["", ""];
  const words = name.slice(0, name.length - suffix.length).replaceAll("_", " ");
  return (words === "cpu" ? "CPU" : words) + unit;
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(Number(value.toPrecision(4)));
  if (typeof value === "boolean") return value ? "yes" : "no";
  return JSON.stringify(value);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
