import { PALETTES } from "./palettes.js";

/** The number of the bucket that a value belongs to. */
export function bucketOf(value, { min, max, count }) {
  throw new Error("bucketOf is not written yet");
}

/** A colour as "#" and six small digits. */
export function normalizeColour(colour) {
  throw new Error("normalizeColour is not written yet");
}

/** Black or white, whichever can be read better on a colour. */
export function textColour(colour) {
  throw new Error("textColour is not written yet");
}

/** The data as an HTML table with coloured cells, a summary and a legend. */
export function renderHeatmap(data, options = {}) {
  throw new Error("renderHeatmap is not written yet");
}
