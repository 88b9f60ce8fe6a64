const COLOURS = 6;
const DASHES = ["none", "6 3", "2 3", "8 3 2 3"];

export interface SeriesLook {
  colour: string;
  /** Told apart without colour too, once the colours come round again or are not seen. */
  dash: string;
}

export function seriesLook(place: number): SeriesLook {
  return {
    colour: `var(--series-${(place % COLOURS) + 1})`,
    dash: DASHES[place % DASHES.length] ?? "none",
  };
}
