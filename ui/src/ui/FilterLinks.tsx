import type { ReactNode } from "react";
import styles from "./FilterLinks.module.css";

/** A row of links, each a choice of what is shown; the link of the current one has `aria-current`. */
export function FilterLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.links} aria-label={label}>
      {children}
    </nav>
  );
}

export const filterLinkClass = styles.link;
