import { PALETTES } from "./palettes.js";

const COLOUR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/;
const ID = /^[A-Za-z][A-Za-z0-9_-]*$/;
const REFERENCES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const NO_DATA = '<span aria-hidden="true">–</span><span class="visually-hidden">no data</span>';

const escape = (text) => text.replace(/[&<>"']/g, (character) => REFERENCES[character]);

/** The number of the bucket that a value belongs to. */
export function bucketOf(value, { min, max, count }) {
  if (min === max) return Math.floor(count / 2);
  const bucket = Math.floor(((value - min) * count) / (max - min));
  return Math.min(count - 1, Math.max(0, bucket));
}

/** A colour as "#" and six small digits. */
export function normalizeColour(colour) {
  const digits = typeof colour === "string" ? colour.toLowerCase() : "";
  if (!COLOUR.test(digits)) throw new TypeError(`not a colour like #a0b1c2: ${String(colour)}`);
  return digits.length === 7 ? digits : digits.replace(/[^#]/g, "$&$&");
}

/** Black or white, whichever can be read better on a colour. */
export function textColour(colour) {
  const light = luminance(normalizeColour(colour));
  const contrastWithWhite = 1.05 / (light + 0.05);
  const contrastWithBlack = (light + 0.05) / 0.05;
  return contrastWithWhite > contrastWithBlack ? "#ffffff" : "#000000";
}

function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((place) => {
    const part = parseInt(colour.slice(place, place + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The data as an HTML table with coloured cells, a summary and a legend. */
export function renderHeatmap(data, options = {}) {
  checkData(data);
  const { palette = PALETTES.blues, format = plainNumber, id = "heatmap" } = options;
  const colours = normalPalette(palette);
  const cells = presentCells(data);
  const { min, max } = rangeOf(cells, options);
  if (typeof format !== "function") throw new TypeError("format must be a function");
  if (typeof id !== "string" || !ID.test(id)) throw new RangeError(`not an id: ${String(id)}`);

  const text = (number) => escape(String(format(number)));
  const range = { min, max, count: colours.length };
  return `<figure id="${id}" class="heatmap">
<table aria-describedby="${id}-summary">
<caption>${escape(data.caption)}</caption>
<thead>
<tr><td></td>${data.columns.map((label) => `<th scope="col">${escape(label)}</th>`).join("")}</tr>
</thead>
<tbody>
${data.rows.map((row) => tableRow(row, { colours, range, text })).join("\n")}
</tbody>
</table>
<p id="${id}-summary">${summary(data, cells, text)}</p>
${cells.length > 0 ? legend(colours, range, text) : ""}
</figure>
`;
}

function tableRow({ label, values }, { colours, range, text }) {
  const cells = values.map((value) => {
    if (value === null) return `<td class="no-data">${NO_DATA}</td>`;
    const bucket = bucketOf(value, range);
    const style = `background-color: ${colours[bucket]}; color: ${textColour(colours[bucket])}`;
    return `<td class="bucket-${bucket}" style="${style}">${text(value)}</td>`;
  });
  return `<tr><th scope="row">${escape(label)}</th>${cells.join("")}</tr>`;
}

function summary({ columns, rows }, cells, text) {
  const sentences = [];
  if (cells.length > 0) {
    const [first, ...others] = cells;
    const lowest = others.reduce((found, cell) => (cell.value < found.value ? cell : found), first);
    const highest = others.reduce((found, cell) => (cell.value > found.value ? cell : found), first);
    const place = ({ value, row, column }) => `${text(value)} (${escape(row)}, ${escape(column)})`;
    sentences.push(`Lowest: ${place(lowest)}.`, `Highest: ${place(highest)}.`);
  }
  const all = columns.length * rows.length;
  if (cells.length < all) sentences.push(`No data: ${all - cells.length} of ${all}.`);
  return sentences.join(" ");
}

function legend(colours, range, text) {
  const { min, max, count } = range;
  const bound = (index) => text(min + ((max - min) * index) / count);
  const entries =
    min === max
      ? [[bucketOf(min, range), text(min)]]
      : colours.map((_colour, bucket) => [bucket, `${bound(bucket)} to ${bound(bucket + 1)}`]);
  const items = entries.map(([bucket, label]) => {
    const swatch = `<span class="swatch" style="background-color: ${colours[bucket]}" aria-hidden="true"></span>`;
    return `<li>${swatch}${label}</li>`;
  });
  return `<ul class="legend" aria-label="Legend">\n${items.join("\n")}\n</ul>`;
}

function plainNumber(number) {
  // Adding 0 makes 0 of -0.
  return String(Number(number.toFixed(2)) + 0);
}

/** All values that are not missing, row by row, with their labels. */
function presentCells({ columns, rows }) {
  return rows
    .flatMap(({ label, values }) => values.map((value, index) => ({ value, row: label, column: columns[index] })))
    .filter(({ value }) => value !== null);
}

function rangeOf(cells, options) {
  const values = cells.map(({ value }) => value);
  // Not Math.min(...values): a call has a limited number of arguments.
  const least = values.length > 0 ? values.reduce((one, other) => Math.min(one, other)) : 0;
  const greatest = values.length > 0 ? values.reduce((one, other) => Math.max(one, other)) : 0;
  const { min = least, max = greatest } = options;
  for (const bound of [min, max]) {
    if (!Number.isFinite(bound)) throw new TypeError(`min and max must be finite numbers, not ${String(bound)}`);
  }
  if (min > max) throw new RangeError(`min is greater than max: ${min} > ${max}`);
  return { min, max };
}

function normalPalette(palette) {
  if (!Array.isArray(palette)) throw new TypeError("the palette must be an array");
  const colours = Array.from(palette, normalizeColour);
  if (colours.length < 2) throw new RangeError("the palette must have at least two colours");
  return colours;
}

function checkData({ caption, columns, rows }) {
  if (typeof caption !== "string" || caption.trim() === "") throw new TypeError("the caption must be a text");
  if (!Array.isArray(columns) || !Array.isArray(rows)) throw new TypeError("columns and rows must be arrays");
  if (![...columns, ...rows.map((row) => row?.label)].every((label) => typeof label === "string")) {
    throw new TypeError("the labels of columns and rows must be strings");
  }
  if (columns.length === 0 || rows.length === 0) throw new RangeError("a heatmap has at least one column and row");
  for (const { label, values } of rows) {
    if (!Array.isArray(values) || values.length !== columns.length) {
      throw new RangeError(`row ${label} must have ${columns.length} values`);
    }
  }
  for (const { label, values } of rows) {
    for (const [index, value] of values.entries()) {
      if (value !== null && !Number.isFinite(value)) {
        throw new TypeError(`row ${label}, column ${columns[index]}: ${String(value)} is no finite number`);
      }
    }
  }
}
