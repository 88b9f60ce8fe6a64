/** A wait between two chunks of a stream, in milliseconds since the request was written. */
export interface Gap {
  from: number;
  to: number;
  ms: number;
  isStall: boolean;
}

/** As the server counts stalls. */
export const STALL_MS = 2_000;
const MOST = 12;
/** A gap so much longer than the usual one is worth a mark. */
const UNUSUAL = 4;

export function gapsOf(arrivals: readonly number[]): Gap[] {
  return arrivals.slice(1).map((to, place) => {
    const from = arrivals[place] ?? to;
    return { from, to, ms: to - from, isStall: to - from > STALL_MS };
  });
}

/** The gaps a reader should see, longest first: every stall, and what is far longer than the median. */
export function notableGaps(gaps: readonly Gap[]): Gap[] {
  const usual = medianOf(gaps.map(({ ms }) => ms));
  return gaps
    .filter(({ ms, isStall }) => isStall || (ms > UNUSUAL * usual && ms > 1))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, MOST);
}

export function longestGaps(gaps: readonly Gap[], count: number): Gap[] {
  return gaps.toSorted((a, b) => b.ms - a.ms).slice(0, count);
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Round moments from 0 to `end`, about as many as asked for. */
export function timeTicks(end: number, about: number): number[] {
  const rough = end / Math.max(1, about);
  if (rough <= 0) return [0];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, place) => place * step);
}
