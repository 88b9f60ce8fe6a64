const NAME = "transcript-search";
const MOST = 2_000;

/** Marks the words wherever they stand in an element, without a change to it; gives what undoes that. */
export function markText(element: HTMLElement, wanted: string): (() => void) | undefined {
  if (!wanted || !("highlights" in CSS)) return undefined;
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && ranges.length < MOST) {
    const node = walker.currentNode;
    const text = (node.nodeValue ?? "").toLowerCase();
    for (
      let at = text.indexOf(wanted.toLowerCase());
      at >= 0;
      at = text.indexOf(wanted.toLowerCase(), at + 1)
    ) {
      if (at + wanted.length > (node.nodeValue ?? "").length) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set(NAME, new Highlight(...ranges));
  return () => CSS.highlights.delete(NAME);
}
