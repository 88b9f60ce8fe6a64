const SPACE = 16;
const TITLE_PX = 28;
/** Twice as many pixels as on the screen, so that a picture stays sharp in a paper. */
const SCALE = 2;
const NO_COLOUR = "rgba(0, 0, 0, 0)";
const SVG = "http://www.w3.org/2000/svg";
const KEPT = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
] as const;

/** A chart as it stands on the page: its drawings, and the words around them, as one SVG document. */
export function svgOf(chart: HTMLElement, title: string): SVGSVGElement {
  const box = chart.getBoundingClientRect();
  const width = Math.ceil(box.width + 2 * SPACE);
  const height = Math.ceil(box.height + 2 * SPACE + TITLE_PX);
  const style = getComputedStyle(chart);
  const picture = made("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  picture.append(
    made("rect", { width, height, fill: rgb(groundOf(chart)) }),
    words(title, { x: SPACE, y: SPACE + TITLE_PX / 2 }, style, { "font-size": "15px", "font-weight": "600" }),
  );
  const inner = made("g", {
    transform: `translate(${SPACE - box.left} ${SPACE + TITLE_PX - box.top})`,
  });
  inner.append(...drawn(chart));
  picture.append(inner);
  return picture;
}

export function svgText(picture: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(picture);
}

export async function pngOf(picture: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * SCALE;
  canvas.height = image.height * SCALE;
  const context = canvas.getContext("2d");
  context?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))));
  });
}

/** A name for the file: the title's words with lines between. */
export function fileName(title: string, ending: "svg" | "png"): string {
  const parts = title
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  return `${parts.join("-") || "chart"}.${ending}`;
}

function* drawn(parent: Element): Generator<SVGElement> {
  for (const node of parent.childNodes) {
    if (node instanceof SVGSVGElement) yield plot(node);
    else if (node instanceof HTMLCanvasElement) yield embedded(node);
    else if (node instanceof HTMLElement && isShown(node)) yield* [...ground(node), ...drawn(node)];
    else if (node instanceof Text && node.data.trim()) yield* line(node, parent);
  }
}

/** Hints for whoever has the page before them are of no use in a picture. */
function isShown(element: HTMLElement): boolean {
  if (element.dataset["hint"] !== undefined) return false;
  const { width, height } = element.getBoundingClientRect();
  return width > 1 && height > 1 && getComputedStyle(element).visibility !== "hidden";
}

function* ground(element: HTMLElement): Generator<SVGElement> {
  const { backgroundColor, borderRadius } = getComputedStyle(element);
  if (backgroundColor === NO_COLOUR) return;
  const { left, top, width, height } = element.getBoundingClientRect();
  yield made("rect", {
    x: left,
    y: top,
    width,
    height,
    rx: Number.parseFloat(borderRadius) || 0,
    fill: rgb(backgroundColor),
  });
}

/** A copy that needs no style sheet. */
function plot(source: SVGSVGElement): SVGElement {
  const { left, top, width, height } = source.getBoundingClientRect();
  const copy = made("svg", { x: left, y: top, width, height, overflow: "visible" });
  const look = getComputedStyle(source);
  for (const name of KEPT) setLook(copy, name, look);
  for (const child of source.children) copy.append(inlined(child, look));
  return copy;
}

function inlined(source: Element, around: CSSStyleDeclaration): Element {
  const copy = source.cloneNode(false);
  if (!(copy instanceof Element)) throw new TypeError("a copy of an element is one");
  const look = getComputedStyle(source);
  copy.removeAttribute("class");
  copy.removeAttribute("style");
  for (const name of KEPT) {
    const isInherited = name !== "opacity" && look.getPropertyValue(name) === around.getPropertyValue(name);
    if (isInherited) copy.removeAttribute(name);
    else setLook(copy, name, look);
  }
  for (const child of source.childNodes) {
    if (child instanceof Element) copy.append(inlined(child, look));
    else if (child instanceof Text) copy.append(child.data);
  }
  return copy;
}

function setLook(copy: Element, name: (typeof KEPT)[number], look: CSSStyleDeclaration) {
  const value = look.getPropertyValue(name);
  if (!value || (name === "opacity" && value === "1")) return;
  const isColour = (name === "fill" || name === "stroke") && value !== "none";
  copy.setAttribute(name, isColour ? rgb(value) : value);
}

function embedded(canvas: HTMLCanvasElement): SVGElement {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  return made("image", { x: left, y: top, width, height, href: canvas.toDataURL() });
}

function* line(text: Text, parent: Element): Generator<SVGElement> {
  const range = document.createRange();
  range.setStart(text, text.data.search(/\S/));
  range.setEnd(text, text.data.trimEnd().length);
  const [box] = range.getClientRects();
  if (!box) return;
  const said = text.data.trim().replaceAll(/\s+/g, " ");
  const at = { x: box.left, y: box.top + box.height / 2 };
  // Elsewhere the font may be another one, and wider.
  const room = { textLength: String(box.width), lengthAdjust: "spacingAndGlyphs" };
  yield words(said, at, getComputedStyle(parent), range.getClientRects().length === 1 ? room : {});
}

function words(
  text: string,
  at: { x: number; y: number },
  style: CSSStyleDeclaration,
  attributes: Record<string, string> = {},
): SVGElement {
  const drawnText = made("text", {
    ...at,
    "dominant-baseline": "central",
    fill: rgb(style.color),
    "font-family": style.fontFamily,
    "font-size": style.fontSize,
    "font-weight": style.fontWeight,
    ...attributes,
  });
  drawnText.textContent = text;
  return drawnText;
}

function made<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** The colour behind an element. */
function groundOf(element: Element | null): string {
  if (!element) return "white";
  const { backgroundColor } = getComputedStyle(element);
  return backgroundColor === NO_COLOUR ? groundOf(element.parentElement) : backgroundColor;
}

let brush: CanvasRenderingContext2D | null | undefined;

/** Colours as programs other than browsers understand them. */
function rgb(colour: string): string {
  brush ??= Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", {
    willReadFrequently: true,
  });
  if (!brush) return colour;
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha = 255] = brush.getImageData(0, 0, 1, 1).data;
  if (alpha === 255) return `rgb(${red},${green},${blue})`;
  return `rgba(${red},${green},${blue},${(alpha / 255).toFixed(2)})`;
}
