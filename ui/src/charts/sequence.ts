/** Between what a figure of the whole benchmark lies after so many items. */
export interface SequencePoint {
  items: number;
  low: number;
  high: number;
}

/** The first tick of a power of ten, and those after it up to the last number of items. */
export function itemTicks(first: number, last: number): number[] {
  const ticks: number[] = [];
  for (let decade = 1; decade <= last; decade *= 10) {
    for (const step of [1, 2, 5]) {
      const tick = decade * step;
      if (tick >= first && tick <= last) ticks.push(tick);
    }
  }
  return ticks;
}

/** The outline of the band that the limits enclose, as the path of an SVG. */
export function bandPath(
  points: readonly SequencePoint[],
  x: (items: number) => number,
  y: (value: number) => number,
): string {
  const upper = points.map(({ items, high }) => `${x(items)},${y(high)}`);
  const lower = points.map(({ items, low }) => `${x(items)},${y(low)}`).toReversed();
  return upper.length === 0 ? "" : `M${[...upper, ...lower].join("L")}Z`;
}

export function limitPath(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], place) => `${place ? "L" : "M"}${x},${y}`).join("");
}

/** Round values within the range, some four of them. */
export function valueTicks(low: number, high: number): number[] {
  const rough = (high - low) / 4;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = decade * ([1, 2, 5].find((one) => one * decade >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, place) => Number(((first + place) * step).toFixed(6)));
}

/** The values to show: around what the limits enclose last and where it is decided, at most all there are. */
export function valueRange(
  points: readonly SequencePoint[],
  marks: readonly number[],
  least: number,
): [low: number, high: number] {
  const late = points.slice(Math.floor(points.length / 3));
  const low = Math.min(...late.map((point) => point.low), ...marks);
  const high = Math.max(...late.map((point) => point.high), ...marks);
  const margin = Math.max(0.02, (high - low) * 0.08);
  return [Math.max(least, low - margin), Math.min(1, high + margin)];
}
