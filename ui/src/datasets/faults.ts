import type { Validation } from "../api/files";
import { count } from "../format";

type Fault = Validation["errors"][number];

export interface FaultGroup {
  field: string;
  reason: string;
  lines: readonly number[];
}

const MOST_NAMED = 6;

/** Faults that say the same of the same field, with the lines they were found in. */
export function grouped(faults: readonly Fault[]): FaultGroup[] {
  const groups = Map.groupBy(faults, ({ field, reason }) => `${field ?? ""}\n${reason}`);
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    return first
      ? [{ field: first.field ?? "", reason: first.reason, lines: same.map(({ line }) => line) }]
      : [];
  });
}

/** "3", "3, 5–7 and 214 more"; line 0 is the file itself. */
export function linesText(lines: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const line of lines.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && line <= last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  const named = ranges.slice(0, MOST_NAMED).map(([from, to]) => {
    if (to === 0) return "file";
    return from === to ? count(from) : `${count(from)}–${count(to)}`;
  });
  const more = ranges.slice(MOST_NAMED).reduce((sum, [from, to]) => sum + to - from + 1, 0);
  return more > 0 ? `${named.join(", ")} and ${count(more)} more` : named.join(", ");
}
