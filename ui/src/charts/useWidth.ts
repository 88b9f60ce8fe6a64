import { type RefObject, useEffect, useRef, useState } from "react";

const FIRST = 640;

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
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
