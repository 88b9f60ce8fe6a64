export interface Bin {
  low: number;
  high: number;
  count: number;
}

export interface Distribution {
  label: string;
  bins: readonly Bin[];
}

/** Upper ends of the bins with the share of values below them. */
export function cumulative({ bins }: Distribution): { value: number; share: number }[] {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  let below = 0;
  return bins.map(({ high, count }) => {
    below += count;
    return { value: high, share: total > 0 ? below / total : 0 };
  });
}

/** From the lowest to the highest end of any bin that holds something. */
export function rangeOf(series: readonly Distribution[]): [low: number, high: number] | undefined {
  const bins = series.flatMap((one) => one.bins.filter(({ count }) => count > 0));
  if (bins.length === 0) return undefined;
  return [Math.min(...bins.map(({ low }) => low)), Math.max(...bins.map(({ high }) => high))];
}
