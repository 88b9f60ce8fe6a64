const COLOURS = 6;
const DASHES = ["none", "6 3", "2 3", "8 3 2 3"];

export interface SeriesLook {
  colour: string;
  /** Distinguishable without colour too, once colours repeat or cannot be seen. */
  dash: string;
}

export function seriesLook(place: number): SeriesLook {
  return {
    colour: `var(--series-${(place % COLOURS) + 1})`,
    dash: DASHES[place % DASHES.length] ?? "none",
  };
}
