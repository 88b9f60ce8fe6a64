const LETTER_PX = 6.6;
const BESIDE_PX = 10;
const LINE_PX = 15;

export interface Labelled {
  label: string;
  x: number;
  y: number;
}

export interface Placed extends Labelled {
  isRight: boolean;
  text: string;
}

/**
 * Names beside their points: on the side that has room, off the line that rises through the best points, and none
 * on another.
 */
export function placedLabels(points: readonly Labelled[], width: number): Placed[] {
  const placed: Placed[] = [];
  for (const { label, x, y } of points.toSorted((a, b) => a.y - b.y)) {
    const needed = label.length * LETTER_PX + BESIDE_PX;
    const isRight = x + needed < width || x < width - x;
    const room = Math.floor(((isRight ? width - x : x) - BESIDE_PX) / LETTER_PX);
    const text = label.length > room ? `…${label.slice(1 - room)}` : label;
    // The line comes from the lower left and goes to the upper right.
    const own = {
      label,
      text,
      isRight,
      x: x + (isRight ? BESIDE_PX : -BESIDE_PX),
      y: y + (isRight ? LINE_PX : -8),
    };
    placed.push({ ...own, y: freeBelow(own, placed) });
  }
  return placed;
}

function freeBelow(own: Placed, others: readonly Placed[]): number {
  let { y } = own;
  for (const other of others.filter((one) => isBeside(own, one)).toSorted((a, b) => a.y - b.y)) {
    if (Math.abs(other.y - y) < LINE_PX) y = other.y + LINE_PX;
  }
  return y;
}

function isBeside(one: Placed, other: Placed): boolean {
  const [from, to] = extent(one);
  const [otherFrom, otherTo] = extent(other);
  return from < otherTo && otherFrom < to;
}

function extent({ x, text, isRight }: Placed): [from: number, to: number] {
  const length = text.length * LETTER_PX;
  return isRight ? [x, x + length] : [x - length, x];
}
