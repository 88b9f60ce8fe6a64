// Reads HTML into nested arrays: [tag, attributes, ...children]. Texts have single blanks; those between elements that
// are only white space are left out. What a browser would have to repair is an error.

const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]);
const REFERENCES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const TAG = /<(\/?)([A-Za-z][A-Za-z0-9-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*(\/?)>/y;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;

function decoded(text) {
  return text.replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));/gi, (reference, hex, decimal, name) => {
    if (hex) return String.fromCodePoint(parseInt(hex, 16));
    if (decimal) return String.fromCodePoint(parseInt(decimal, 10));
    return REFERENCES[name] ?? reference;
  });
}

function attributes(source) {
  const found = {};
  for (const [, name, double, single, bare] of source.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (Object.hasOwn(found, key)) throw new Error(`the attribute ${key} is there twice`);
    found[key] = decoded(double ?? single ?? bare ?? "");
  }
  return found;
}

export function parse(html) {
  const root = ["root", {}];
  const open = [root];
  let place = 0;
  while (place < html.length) {
    if (html.startsWith("<!--", place)) {
      place = html.indexOf("-->", place) + 3;
      continue;
    }
    if (html[place] !== "<") {
      const next = html.indexOf("<", place);
      const end = next < 0 ? html.length : next;
      const text = decoded(html.slice(place, end))
        .replace(/[ \t\r\n]+/g, " ")
        .trim();
      if (text !== "") open.at(-1).push(text);
      place = end;
      continue;
    }
    TAG.lastIndex = place;
    const tag = TAG.exec(html);
    if (tag === null) throw new Error(`no tag: ${html.slice(place, place + 30)}`);
    place = TAG.lastIndex;
    const name = tag[2].toLowerCase();
    if (tag[1] === "/") {
      const ended = open.pop();
      if (ended[0] !== name || open.length === 0) throw new Error(`</${name}> does not end <${ended[0]}>`);
      continue;
    }
    const element = [name, attributes(tag[3])];
    open.at(-1).push(element);
    if (!VOID.has(name)) open.push(element);
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)[0]}> is not ended`);
  return root.slice(2);
}

/** All elements that a test is true for, in the order of the document. */
export function find(nodes, test) {
  return nodes.filter(Array.isArray).flatMap((node) => [...(test(node) ? [node] : []), ...find(node.slice(2), test)]);
}

export const byTag = (nodes, tag) => find(nodes, ([name]) => name === tag);
export const byId = (nodes, id) => find(nodes, ([, { id: own }]) => own === id)[0];
