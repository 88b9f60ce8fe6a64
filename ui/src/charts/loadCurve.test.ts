import { expect, test } from "vitest";
import { type LoadSeries, loadScales, loadTicks, shown } from "./loadCurve";

function series(...points: [load: number, value: number | null][]): LoadSeries {
  return { label: "p50", points: points.map(([load, value]) => ({ load, value, isDoubtful: false })) };
}

test("all that was measured lies inside of the axes", () => {
  const scales = loadScales([series([1, 20], [8, 90]), series([1, 40], [8, 900])]);
  expect(scales).not.toBeNull();
  for (const [load, value] of [
    [1, 20],
    [8, 900],
  ] as const) {
    expect(scales?.load.at(load)).toBeGreaterThan(0);
    expect(scales?.load.at(load)).toBeLessThan(1);
    expect(scales?.value.at(value)).toBeGreaterThan(0);
    expect(scales?.value.at(value)).toBeLessThan(1);
  }
});

test("a single load has its place in the middle", () => {
  expect(loadScales([series([4, 100])])?.load.at(4)).toBeCloseTo(0.5);
});

test("where nothing was measured, there are no axes", () => {
  expect(loadScales([series()])).toBeNull();
  expect(loadScales([series([8, 0], [9, null])])).toBeNull();
});

test("points follow the load, whatever the order of the stages", () => {
  expect(shown(series([8, 2], [1, 3], [4, 0])).map(({ load }) => load)).toEqual([1, 8]);
});

test("figures on the axis do not run into one another", () => {
  expect(loadTicks([1, 2, 2, 3, 50], (load) => load * 10, 20)).toEqual([1, 3, 50]);
});
