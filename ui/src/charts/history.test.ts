import { expect, test } from "vitest";
import { type HistoryPoint, stretches } from "./history";

const point = (at: number, fingerprint: string): HistoryPoint => ({
  runId: `run-${at}`,
  at,
  score: 0.5,
  interval: null,
  fingerprint,
});

test("scores are cut where the fingerprint changes, also back again", () => {
  const points = [point(5, "a"), point(1, "a"), point(2, "a"), point(3, "b"), point(4, "b")];
  expect(stretches(points).map((all) => all.map(({ at }) => at))).toEqual([[1, 2], [3, 4], [5]]);
  expect(stretches([])).toEqual([]);
});
