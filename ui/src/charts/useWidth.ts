import { type RefObject, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

const FIRST = 640;
/** As much as a page of paper has room for. */
const PAPER = 640;

/** How wide a chart may be: as wide as its box is at the moment. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST);
  useEffect(() => {
    const observed = box.current;
    if (!observed) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(200, Math.floor(entry.contentRect.width)));
    });
    observer.observe(observed);
    // Paper is narrower than the window, and no size changes before it is printed.
    const print = () => flushSync(() => setWidth((now) => Math.min(now, PAPER)));
    const restore = () => setWidth(Math.max(200, Math.floor(observed.getBoundingClientRect().width)));
    addEventListener("beforeprint", print);
    addEventListener("afterprint", restore);
    return () => {
      observer.disconnect();
      removeEventListener("beforeprint", print);
      removeEventListener("afterprint", restore);
    };
  }, []);
  return [box, width];
}
