import { useEffect, useRef } from "react";
import { useTheme } from "../ui/theme";
import styles from "./ItemMatrix.module.css";
import { useWidth } from "./useWidth";

export interface MatrixRow {
  id: string;
  /** The score of each column, null where there is none. */
  scores: readonly (number | null)[];
}

interface Props {
  rows: readonly MatrixRow[];
  columns: readonly string[];
  label: string;
}

const LINE_PX = 22;
const GAP_PX = 3;

/** Items from left to right, the easiest first, evaluations from top to bottom; the items are listed elsewhere. */
export function ItemMatrix({ rows, columns, label }: Props) {
  const [box, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [theme] = useTheme();
  const height = columns.length * (LINE_PX + GAP_PX);

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const scale = devicePixelRatio || 1;
    context.canvas.width = width * scale;
    context.canvas.height = height * scale;
    context.scale(scale, scale);
    // A canvas knows no custom properties; these two carry the colours of the theme to it.
    const { color: right, outlineColor: wrong } = getComputedStyle(context.canvas);
    const cell = width / Math.max(1, rows.length);
    const gap = cell > 4 ? 1 : 0;
    for (const [place, row] of rows.entries()) {
      for (const [line, score] of row.scores.entries()) {
        if (score === null) continue;
        context.fillStyle = score > 0 ? right : wrong;
        context.globalAlpha = score > 0 && score < 1 ? 0.35 + score / 2 : 1;
        context.fillRect(place * cell, line * (LINE_PX + GAP_PX), Math.max(cell - gap, 0.5), LINE_PX);
      }
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another theme has other colours
  }, [rows, width, height, theme]);

  return (
    <div className={styles.matrix}>
      <ul className={styles.names} aria-hidden="true">
        {columns.map((name) => (
          <li key={name} style={{ height: LINE_PX, marginBottom: GAP_PX }} title={name}>
            {name}
          </li>
        ))}
      </ul>
      <div ref={box} className={styles.cells}>
        <canvas ref={canvas} role="img" aria-label={label} style={{ width, height }} />
      </div>
    </div>
  );
}
