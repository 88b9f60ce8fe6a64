import type { ReactNode } from "react";
import styles from "./Page.module.css";

interface Props {
  title: string;
  /** One sentence on what the page is for. */
  lead?: ReactNode;
  /** Stands at the end of the line of the title. */
  actions?: ReactNode;
  count?: ReactNode;
}

export function PageHeader({ title, lead, actions, count }: Props) {
  return (
    <header className={styles.header}>
      <title>{`${title} · Assay`}</title>
      <div>
        <h1>
          {title} {count !== undefined ? <span className={styles.count}>{count}</span> : null}
        </h1>
        {lead ? <p className={styles.lead}>{lead}</p> : null}
      </div>
      {actions ? <div className={styles.actions}>{actions}</div> : null}
    </header>
  );
}

export function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.heading}>
        <h2>{title}</h2>
        {note ? <p>{note}</p> : null}
      </div>
      {children}
    </section>
  );
}

export function Card({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <div className={styles.card} role={label ? "group" : undefined} aria-label={label}>
      {children}
    </div>
  );
}
