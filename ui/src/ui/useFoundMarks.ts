import { type RefObject, useEffect } from "react";
import { placesOf } from "./found";

const NAME = "found";
/** More marks than this slow the page down and help nobody. */
const MOST = 2_000;

/** Marks what was searched for in everything inside the box, whatever it is made of, and shows the first place. */
export function useFoundMarks(box: RefObject<HTMLElement | null>, part: string | undefined) {
  useEffect(() => {
    const element = box.current;
    // Browsers without it show the texts unmarked.
    if (!element || !part || !("highlights" in CSS)) return undefined;
    let isShown = false;
    const mark = () => {
      const ranges = rangesOf(element, part);
      CSS.highlights.set(NAME, new Highlight(...ranges));
      const first = ranges[0]?.startContainer.parentElement;
      if (isShown || !first) return;
      isShown = true;
      first.scrollIntoView({ block: "nearest" });
    };
    mark();
    const changes = new MutationObserver(mark);
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      changes.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [box, part]);
}

/** A place may begin in one node and end in another: formatting cuts words apart. */
function rangesOf(element: HTMLElement, part: string): Range[] {
  const nodes: { node: Node; start: number }[] = [];
  let text = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? "";
  }
  let last = 0;
  const pointAt = (place: number) => {
    while ((nodes[last + 1]?.start ?? Number.POSITIVE_INFINITY) <= place) last += 1;
    return nodes[last];
  };
  return placesOf(text, part)
    .slice(0, MOST)
    .flatMap((place) => {
      const from = pointAt(place);
      const to = pointAt(place + part.length - 1);
      if (!from || !to) return [];
      const range = document.createRange();
      range.setStart(from.node, place - from.start);
      range.setEnd(to.node, place + part.length - to.start);
      return [range];
    });
}
