import { type LogScale, logScale } from "./logScale";

export interface LoadPoint {
  load: number;
  /** Null where it was not measured. */
  value: number | null;
  /** The generator may have distorted it. */
  isDoubtful: boolean;
}

export interface LoadSeries {
  label: string;
  points: readonly LoadPoint[];
}

const MARGIN = 1.15;

export interface LoadScales {
  load: LogScale;
  value: LogScale;
}

/** Logarithmic axes over all that is shown; none where nothing above 0 was measured. */
export function loadScales(series: readonly LoadSeries[]): LoadScales | null {
  const points = series.flatMap(shown);
  if (points.length === 0) return null;
  return { load: around(points.map(({ load }) => load)), value: around(points.map(({ value }) => value)) };
}

/** What a logarithmic axis has a place for, in the order of the load: stages may go up and down. */
export function shown(series: LoadSeries): (LoadPoint & { value: number })[] {
  return series.points
    .flatMap((one) => (one.load > 0 && one.value ? { ...one, value: one.value } : []))
    .toSorted((one, other) => one.load - other.load);
}

/** Every load that was held, as far as their figures do not run into one another. */
export function loadTicks(loads: readonly number[], x: (load: number) => number, apartPx: number): number[] {
  const kept: number[] = [];
  for (const load of [...new Set(loads)].toSorted((one, other) => one - other)) {
    const last = kept.at(-1);
    if (last === undefined || x(load) - x(last) >= apartPx) kept.push(load);
  }
  return kept;
}

function around(values: readonly number[]): LogScale {
  return logScale(Math.min(...values) / MARGIN, Math.max(...values) * MARGIN);
}
