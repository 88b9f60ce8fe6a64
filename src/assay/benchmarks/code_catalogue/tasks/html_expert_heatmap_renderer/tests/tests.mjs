import { bucketOf, normalizeColour, renderHeatmap, textColour } from "/workspace/src/heatmap.js";
import { PALETTES } from "/workspace/src/palettes.js";

import { byId, byTag, parse } from "./html.mjs";

const TWO = ["#eff3ff", "#08519c"];

/** Data with one row for each list of values, and short labels. */
function data(...rows) {
  return {
    caption: "Noise",
    columns: rows[0].map((_value, index) => `c${index + 1}`),
    rows: rows.map((values, index) => ({ label: `r${index + 1}`, values })),
  };
}

const rendered = (...args) => parse(renderHeatmap(...args));
const cells = (nodes) => byTag(byTag(nodes, "tbody"), "td");
const buckets = (nodes) => cells(nodes).map(([, attributes]) => attributes.class);
const numbers = (nodes) => cells(nodes).map((cell) => cell[2]);
const summary = (nodes) => byId(nodes, "heatmap-summary")[2];
const legend = (nodes) => byTag(nodes, "li").map((item) => [item[2][1].style, item[3]]);

/** Kind of an error and the words of its message that the test asks for. */
function failure(call, ...words) {
  try {
    call();
  } catch (error) {
    return [error.name, ...words.filter((word) => error.message.includes(word))].join(" ");
  }
  return "no error";
}

export function bucket_numbers(observe) {
  const range = { min: 0, max: 100, count: 5 };
  observe([0, 19.99, 20, 39, 40, 59, 60, 80, 99, 100].map((value) => bucketOf(value, range)));
  observe([-1, -1e9, 100.5, 1e12].map((value) => bucketOf(value, range)));
  observe([-8, -4.5, -4, 0, 3.5, 4, 7, 8].map((value) => bucketOf(value, { min: -8, max: 8, count: 4 })));
  observe(
    [2, 3, 4, 5, 8].map((count) => [bucketOf(7, { min: 7, max: 7, count }), bucketOf(-3, { min: 7, max: 7, count })]),
  );
}

export function colours(observe) {
  observe(["#abc", "#A0B1c2", "#FFF", "#012345", "#F0f"].map(normalizeColour));
  const wrong = [
    "abc",
    "#ab",
    "#abcd",
    "#abcde",
    "#abcdef0",
    "#ggg",
    " #abc",
    "#abc\n",
    "red",
    "",
    "#abc;color:red",
    null,
    123,
    ["#abc"],
  ];
  observe(wrong.map((colour) => failure(() => normalizeColour(colour))));
}

export function text_colours(observe) {
  const list = [
    "#fff",
    "#000",
    "#777",
    "#757575",
    "#767676",
    "#f00",
    "#00f",
    "#0f0",
    "#c0392b",
    "#8E44AD",
    "#3182bd",
    "#e00",
  ];
  observe(list.map((colour) => `${colour} ${textColour(colour)}`));
  observe(failure(() => textColour("grey")));
}

export function whole_figure(observe) {
  observe(
    rendered(
      {
        caption: "Visitors",
        columns: ["Mon", "Tue"],
        rows: [
          { label: "Morning", values: [2, 10.5] },
          { label: "Evening", values: [null, 6] },
        ],
      },
      { palette: TWO, id: "visitors_2-b" },
    ),
  );
}

export function default_palette(observe) {
  const nodes = rendered(data([0, 20, 40, 60, 80, 100]));
  observe(cells(nodes).map(([, attributes, text]) => [attributes.class, attributes.style, text]));
  observe(legend(nodes));
  observe([nodes[0][1].id, nodes[0][1].class, summary(nodes)]);
}

export function other_palettes(observe) {
  const greens = rendered(data([1, 2, 3, 4, 5]), { palette: PALETTES.greens });
  observe(cells(greens).map(([, attributes]) => attributes.style));
  observe(legend(greens));
  const greys = rendered(data([0, 1, 2, 3]), { palette: PALETTES.greys, max: 4 });
  observe(cells(greys).map(([, attributes]) => attributes.style));
}

export function given_ranges(observe) {
  const both = rendered(data([-5, 0, 49, 50, 130]), { min: 0, max: 100 });
  observe([buckets(both), legend(both).map(([, text]) => text), summary(both)]);
  const onlyMin = rendered(data([2, 3, 5]), { min: 0, palette: TWO, max: undefined });
  observe([buckets(onlyMin), legend(onlyMin).map(([, text]) => text)]);
  const onlyMax = rendered(data([2, 3, 5]), { max: 10, palette: TWO });
  observe([buckets(onlyMax), legend(onlyMax).map(([, text]) => text)]);
  const zero = rendered(data([-2, -1]), { max: 0, palette: TWO });
  observe([buckets(zero), legend(zero).map(([, text]) => text)]);
}

export function equal_values(observe) {
  const same = rendered(data([4, null, 4]), { palette: [...TWO, "#123456"] });
  observe([buckets(same), legend(same), summary(same)]);
  const point = rendered(data([1, 9]), { min: 5, max: 5 });
  observe([buckets(point), legend(point), summary(point)]);
}

export function missing_data(observe) {
  const nodes = rendered(data([null, 3], [7, null]), { palette: TWO });
  observe(cells(nodes)[0]);
  observe(summary(nodes));
  const empty = rendered(data([null, null, null], [null, null, null]));
  observe([buckets(empty), summary(empty), byTag(empty, "ul").length, byTag(empty, "li").length]);
  observe(failure(() => renderHeatmap(data([null]), { min: 3 })));
  observe(rendered(data([null]), { min: -3, id: "x" })[0].slice(3));
}

export function extremes(observe) {
  observe(summary(rendered(data([3, 1, 9], [1, 9, 5]))));
  observe(summary(rendered(data([-1], [-0.5], [-20], [-20]))));
  observe(summary(rendered(data([0, -0, 6, 6]))));
}

export function number_format(observe) {
  observe(numbers(rendered(data([3, 2.5, -0.126, 0.004, -0.004, -0, 1234567.891, 10, 100.1, 1e21, 2.675]))));
  const seen = [];
  const format = (...args) => {
    seen.push(args.length);
    return `${args[0].toFixed(1)} %`;
  };
  const nodes = rendered(data([1, null], [2, 5]), { format, palette: TWO });
  observe([
    numbers(nodes).filter((text) => typeof text === "string"),
    summary(nodes),
    legend(nodes).map(([, text]) => text),
  ]);
  observe([...new Set(seen)]);
  observe(numbers(rendered(data([1, 2]), { format: (number) => number * 1000 })));
}

export function escaping(observe) {
  const nasty = `<b class="x">'R&D'</b> &lt; <!--`;
  const html = renderHeatmap(
    { caption: `Cap ${nasty}`, columns: [`Col ${nasty}`], rows: [{ label: `Row ${nasty}`, values: [1] }] },
    { format: (number) => `${number}<i>"&"</i>` },
  );
  const nodes = parse(html);
  observe(byTag(nodes, "caption")[0][2]);
  observe(byTag(nodes, "th").map((cell) => cell[2]));
  observe([numbers(nodes)[0], legend(nodes)[0][1]]);
  observe(summary(nodes));
  observe(["b", "i", "span"].map((tag) => byTag(nodes, tag).length));
}

export function labels_as_they_are(observe) {
  const nodes = rendered({
    caption: "é 漢 😀",
    columns: ["", "same", "same"],
    rows: [
      { label: "__proto__", values: [1, 2, 3] },
      { label: "", values: [4, 5, 0] },
    ],
  });
  observe(byTag(nodes, "th").map((cell) => cell.slice(1)));
  observe([byTag(nodes, "caption")[0][2], summary(nodes)]);
}

export function mistakes_of_the_caller(observe) {
  const fine = data([1, 2], [3, 4]);
  const fail = (change, options, ...words) => failure(() => renderHeatmap({ ...fine, ...change }, options), ...words);
  let calls = 0;
  const never = { format: () => (calls += 1) };
  observe([undefined, null, 5, "", " \n"].map((caption) => fail({ caption, columns: 7 }, never)));
  observe([undefined, "ab", {}, ["a", 2], ["a", null], []].map((columns) => fail({ columns }, never)));
  observe([undefined, {}, [5], [null], [{ values: [1, 2] }], []].map((rows) => fail({ rows }, never)));
  const row = (values) =>
    fail(
      {
        rows: [
          { label: "fine", values: [1, NaN] },
          { label: "Night", values },
        ],
      },
      never,
      "Night",
    );
  observe([[], [1], [1, 2, 3], undefined, "12"].map(row));
  const value = (wrong) => fail({ rows: [{ label: "Noon", values: [1, wrong] }] }, { palette: 5 }, "Noon", "c2");
  observe([undefined, "3", NaN, Infinity, 3n, [3], true].map(value));
  const palettes = ["#000", null, ["#000", "red"], ["#000", `#000" onclick="x`], [null], [], ["#000"]];
  observe(palettes.map((palette) => fail({}, { palette, min: "0" })));
  const ranges = [
    { min: "0" },
    { max: null },
    { min: NaN },
    { max: Infinity },
    { min: 5 },
    { max: 0 },
    { min: 3, max: 2 },
  ];
  observe(ranges.map((options) => fail({}, { ...options, format: 5 })));
  observe([null, "x", 5].map((format) => fail({}, { format, id: "1" })));
  observe(["", "1a", "a b", 'a"', "é", "a\n", 5, null].map((id) => fail({}, { id, ...never })));
  observe(calls);

  const frozen = data([1, 2], [3, null]);
  for (const one of [frozen, frozen.columns, frozen.rows, ...frozen.rows, ...frozen.rows.map(({ values }) => values)])
    Object.freeze(one);
  observe(numbers(rendered(frozen, Object.freeze({ palette: Object.freeze([...TWO]) }))).slice(0, 3));
}
