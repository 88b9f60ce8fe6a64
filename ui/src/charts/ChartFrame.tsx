import { type ReactNode, useRef } from "react";
import { Button } from "../ui/Button";
import { toast } from "../ui/Toasts";
import styles from "./ChartFrame.module.css";
import { fileName, pngOf, svgOf, svgText } from "./picture";

const KEPT_MS = 10_000;

interface Props {
  title: string;
  note?: ReactNode;
  children: ReactNode;
  /** The same figures as a table: a chart is never the only way to them. */
  table: ReactNode;
}

/** What every chart has: its title, its figures as a table, and itself as a picture to keep. */
export function ChartFrame({ title, note, children, table }: Props) {
  const chart = useRef<HTMLDivElement>(null);

  async function download(ending: "svg" | "png") {
    if (!chart.current) return;
    const picture = svgOf(chart.current, title);
    const blob =
      ending === "png" ? await pngOf(picture) : new Blob([svgText(picture)], { type: "image/svg+xml" });
    const href = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), { href, download: fileName(title, ending) }).click();
    // The browser has begun to read it by then.
    setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
  }

  const onDownload = (ending: "svg" | "png") => () =>
    void download(ending).catch((error: unknown) =>
      toast(`The picture could not be made: ${String(error)}`, { isBad: true }),
    );

  return (
    <figure className={styles.frame}>
      <figcaption>
        <strong>{title}</strong>
        {note ? <span>{note}</span> : null}
        <span className={styles.downloads}>
          {(["svg", "png"] as const).map((ending) => (
            <Button
              key={ending}
              tone="quiet"
              isSmall
              icon="download"
              aria-label={`Download “${title}” as ${ending.toUpperCase()}`}
              onClick={onDownload(ending)}
            >
              {ending.toUpperCase()}
            </Button>
          ))}
        </span>
      </figcaption>
      <div ref={chart} className={styles.chart}>
        {children}
      </div>
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
