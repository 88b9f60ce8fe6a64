import { type ReactNode, useEffect, useRef } from "react";
import styles from "./Tabs.module.css";

/** A row of links, each a view of the same thing; the link of the current one has `aria-current`. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where the row is wider than the screen, the current tab must not be the one out of sight.
    const current = row.current?.querySelector<HTMLElement>("[aria-current]");
    if (current && row.current) row.current.scrollLeft = current.offsetLeft - row.current.clientWidth / 3;
  });
  return (
    <nav ref={row} className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}

export const tabClass = styles.tab;
export const tabCountClass = styles.count;
