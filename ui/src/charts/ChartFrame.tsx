import type { ReactNode } from "react";
import styles from "./ChartFrame.module.css";

interface Props {
  title: string;
  note?: ReactNode;
  children: ReactNode;
  /** The same figures as a table: a chart is never the only way to them. */
  table: ReactNode;
}

export function ChartFrame({ title, note, children, table }: Props) {
  return (
    <figure className={styles.frame}>
      <figcaption>
        <strong>{title}</strong>
        {note ? <span>{note}</span> : null}
      </figcaption>
      <div className={styles.chart}>{children}</div>
      <details className={styles.data}>
        <summary>Show the data</summary>
        {table}
      </details>
    </figure>
  );
}

export interface LegendEntry {
  label: string;
  colour: string;
  dash?: string;
}

export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul className={styles.legend}>
      {entries.map(({ label, colour, dash }) => (
        <li key={label}>
          <svg width="20" height="8" aria-hidden="true">
            <line x1="0" x2="20" y1="4" y2="4" stroke={colour} strokeWidth="3" strokeDasharray={dash} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
