/** Colours from low to high. */
export const PALETTES = Object.freeze({
  blues: Object.freeze(["#eff3ff", "#bdd7e7", "#6baed6", "#3182bd", "#08519c"]),
  greens: Object.freeze(["#EDF8E9", "#BAE4B3", "#74C476", "#238B45"]),
  greys: Object.freeze(["#fff", "#aaa", "#555", "#000"]),
});
