import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { useTheme } from "../ui/theme";
import { type Cell, cellAfter, cellAt, cellText, GAP_PX, LINE_PX } from "./matrixCell";
import styles from "./ItemMatrix.module.css";
import { useWidth } from "./useWidth";

export interface MatrixRow {
  id: string;
  /** The score of each column, null where there is none. */
  scores: readonly (number | null)[];
}

const CELLS = [
  { cell: "right", label: "solved" },
  { cell: "part", label: "partly" },
  { cell: "wrong", label: "not solved" },
  { cell: "none", label: "no score" },
] as const;

interface Props {
  rows: readonly MatrixRow[];
  columns: readonly string[];
  label: string;
  onOpen: (row: MatrixRow, column: number) => void;
}

/** Items from left to right, the easiest first, evaluations from top to bottom; the items are listed elsewhere. */
export function ItemMatrix({ rows, columns, label, onOpen }: Props) {
  const [box, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [theme] = useTheme();
  const [chosen, setChosen] = useState<Cell>();
  const extent = { rows: rows.length, columns: columns.length, width };
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

  function open(cell: Cell | undefined) {
    const row = cell && rows[cell.row];
    if (row) onOpen(row, cell.column);
  }

  function below(event: MouseEvent): Cell | undefined {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return cellAt(event.clientX - left, event.clientY - top, extent);
  }

  function onKeyDown(event: KeyboardEvent) {
    const next = cellAfter(event.key, chosen, extent);
    if (event.key === "Enter") open(chosen);
    else if (next) setChosen(next);
    else return;
    event.preventDefault();
  }

  const row = chosen && rows[chosen.row];
  return (
    <>
      <div className={styles.matrix}>
        <ul className={styles.names} aria-hidden="true">
          {columns.map((name) => (
            <li key={name} style={{ height: LINE_PX, marginBottom: GAP_PX }} title={name}>
              {name}
            </li>
          ))}
        </ul>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- the arrows move from cell to cell */}
        <div
          ref={box}
          className={styles.cells}
          role="group"
          aria-label={`${label}: arrows choose a cell, Enter opens it`}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above
          tabIndex={0}
          onKeyDown={onKeyDown}
          onMouseMove={(event) => setChosen(below(event))}
          onMouseLeave={() => setChosen(undefined)}
          onClick={(event) => open(below(event))}
        >
          <canvas ref={canvas} role="img" aria-label={label} style={{ width, height }} />
          {chosen ? <Frame cell={chosen} rows={rows.length} /> : null}
        </div>
      </div>
      <div className={styles.below}>
        <ul className={styles.legend} aria-label="Colours">
          {CELLS.map(({ cell, label: said }) => (
            <li key={cell}>
              <svg width="14" height="14" aria-hidden="true" data-cell={cell}>
                <rect x="0.5" y="0.5" width="13" height="13" rx="3" />
              </svg>
              {said}
            </li>
          ))}
        </ul>
        <p role="status" data-hint>
          {row
            ? `${columns[chosen.column]} · item ${row.id}: ${cellText(row.scores[chosen.column])}`
            : "Point at a cell to see its item, click to open it."}
        </p>
      </div>
    </>
  );
}

/** Round the chosen cell. */
function Frame({ cell: { row, column }, rows }: { cell: Cell; rows: number }) {
  const left = `${(row / rows) * 100}%`;
  const width = `max(4px, ${100 / rows}%)`;
  const top = column * (LINE_PX + GAP_PX);
  return <div className={styles.frame} style={{ left, width, top, height: LINE_PX }} />;
}
