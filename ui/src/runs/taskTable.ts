import type { CodeResults, CodeStatus } from "../api/code";

export type CodeColumn = CodeResults["columns"][number];
export type TaskRow = CodeResults["tasks"][number];

/** How many attempts ended in which way. */
export interface Tally {
  passed: number;
  failed: number;
  error: number;
  api_error: number;
  waiting: number;
}

export interface TaskGroup {
  language: string | undefined;
  tasks: TaskRow[];
}

/** The tasks by language, both in the order of the run. */
export function groupsOf(tasks: readonly TaskRow[]): TaskGroup[] {
  const groups = Map.groupBy(tasks, ({ language }) => language ?? undefined);
  return [...groups].map(([language, own]) => ({ language, tasks: own }));
}

/** The attempts of one column at some tasks. */
export function tallyOf(tasks: readonly TaskRow[], column: number): Tally {
  const tally: Tally = { passed: 0, failed: 0, error: 0, api_error: 0, waiting: 0 };
  for (const { statuses } of tasks) {
    for (const status of statuses[column] ?? []) tally[status ?? "waiting"] += 1;
  }
  return tally;
}

/** The share that passed of the attempts with a verdict; undefined while there is none. */
export function passRate({ passed, failed, error }: Tally): number | undefined {
  const graded = passed + failed + error;
  return graded > 0 ? passed / graded : undefined;
}

/** How a column differs from the benchmark as it is. */
export function optionsOf({ level, options }: CodeColumn): string {
  return [...(level === "base" ? [] : [`thinking ${level}`]), ...options].join(", ");
}

export type ChipStatus = CodeStatus | "waiting";

const WORDS: Record<ChipStatus, string> = {
  passed: "passed",
  failed: "failed",
  error: "error",
  api_error: "API error",
  waiting: "waiting",
};

export function statusWord(status: ChipStatus): string {
  return WORDS[status];
}

/** All counts but those of zero, in words. */
export function tallyText(tally: Tally): string {
  const parts = (["passed", "failed", "error", "api_error", "waiting"] as const).flatMap((status) => {
    const number = tally[status];
    const isMany = number !== 1 && (status === "error" || status === "api_error");
    return number > 0 ? [`${number} ${WORDS[status]}${isMany ? "s" : ""}`] : [];
  });
  return parts.join(", ");
}
