/** Places on a logarithmic axis from `low` to `high`, as shares of its length. */
export interface LogScale {
  low: number;
  high: number;
  at: (value: number) => number;
  ticks: number[];
}

const MOST_TICKS = 7;

export function logScale(low: number, high: number): LogScale {
  const [from, to] = [Math.log10(low), Math.log10(Math.max(high, low * 1.001))];
  const at = (value: number) => Math.min(1, Math.max(0, (Math.log10(value) - from) / (to - from)));
  return { low, high, at, ticks: ticksBetween(low, high) };
}

function ticksBetween(low: number, high: number): number[] {
  if (high < low * 10) return evenTicks(low, high);
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = decades(low, high).flatMap((decade) => steps.map((step) => step * decade));
    const inside = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    if (inside.length <= MOST_TICKS) return inside;
  }
  const powers = decades(low, high).filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  const every = Math.ceil(powers.length / MOST_TICKS);
  return powers.filter((_, place) => place % every === 0);
}

/** Round numbers equally far apart, where a decade would hold all of them. */
function evenTicks(low: number, high: number): number[] {
  const rough = (high - low) / (MOST_TICKS - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const last = Math.floor((high * 1.0001) / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => (first + place) * step);
}

function decades(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  return Array.from({ length: last - first + 1 }, (_, place) => 10 ** (first + place));
}
