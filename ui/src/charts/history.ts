import type { Interval } from "../api/client";

export interface HistoryPoint {
  runId: string;
  at: number;
  score: number;
  interval: Interval | null;
  fingerprint: string;
}

/** Scores in the order of time, cut wherever the fingerprint changes: across a cut they cannot be compared. */
export function stretches(points: readonly HistoryPoint[]): HistoryPoint[][] {
  const found: HistoryPoint[][] = [];
  for (const point of points.toSorted((a, b) => a.at - b.at)) {
    const last = found.at(-1);
    if (last?.[0]?.fingerprint === point.fingerprint) last.push(point);
    else found.push([point]);
  }
  return found;
}
