export interface Point {
  cost: number;
  score: number;
}

/** Those that no other point beats: none is at most as dear and scores higher, or as high and is cheaper. */
export function frontier<T extends Point>(points: readonly T[]): T[] {
  const byCost = points.toSorted((a, b) => a.cost - b.cost || b.score - a.score);
  const best: T[] = [];
  for (const point of byCost) {
    if (point.score > (best.at(-1)?.score ?? Number.NEGATIVE_INFINITY)) best.push(point);
  }
  return best;
}
