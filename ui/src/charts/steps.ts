export interface Moment {
  at: number;
  value: number;
}

/** A line that keeps each value until the next: `M x,y H x V y …`. */
export function stepPath(
  moments: readonly Moment[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  const [first, ...rest] = moments;
  if (!first) return "";
  const steps = rest.map(({ at, value }) => `H${round(x(at))}V${round(y(value))}`);
  return `M${round(x(first.at))},${round(y(first.value))}${steps.join("")}`;
}

function round(place: number): number {
  return Math.round(place * 10) / 10;
}

/** A few whole numbers from 0 to at least `highest`, equally far apart. */
export function wholeTicks(highest: number): number[] {
  const rough = Math.max(1, highest) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10));
  const count = Math.ceil(Math.max(1, highest) / step);
  return Array.from({ length: count + 1 }, (_, place) => place * step);
}

/** Only the moments at which something changed, and the last. */
export function changes<T>(rows: readonly T[], isSame: (a: T, b: T) => boolean): T[] {
  return rows.filter((row, place) => {
    const before = rows[place - 1];
    return before === undefined || !isSame(before, row) || place === rows.length - 1;
  });
}
