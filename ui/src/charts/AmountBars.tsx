import { useId } from "react";
import styles from "./AmountBars.module.css";
import { ChartFrame, Legend } from "./ChartFrame";
import { FigureTable } from "./FigureTable";
import { seriesLook } from "./series";
import { useWidth } from "./useWidth";

export interface AmountRow {
  id: string;
  label: string;
  /** One for each part; null where it is not known. */
  amounts: readonly (number | null)[];
}

interface Props {
  title: string;
  note: string;
  parts: readonly string[];
  rows: readonly AmountRow[];
  unit: (amount: number) => string;
}

const ROW_PX = 40;
const BAR_PX = 12;
const SUM_PX = 84;

/** Amounts made of parts, one bar for each evaluation. */
export function AmountBars({ title, note, parts, rows, unit }: Props) {
  const [box, width] = useWidth();
  const id = useId();
  const known = rows.filter(({ amounts }) => amounts.some((one) => one !== null));
  const most = Math.max(...known.map(sumOf));
  if (known.length === 0 || most <= 0) return null;
  const px = (amount: number) => (amount / most) * (width - SUM_PX);
  return (
    <ChartFrame
      title={title}
      note={note}
      table={
        <FigureTable
          columns={["Evaluation", ...parts, ...(parts.length > 1 ? ["Sum"] : [])]}
          rows={rows.map((row) => {
            const { label: name, amounts } = row;
            const cells = amounts.map((one) => (one === null ? "unknown" : unit(one)));
            const sum = amounts.every((one) => one === null) ? "unknown" : unit(sumOf(row));
            return { name, cells: parts.length > 1 ? cells.concat(sum) : cells };
          })}
        />
      }
    >
      <div ref={box}>
        <svg
          width={width}
          height={known.length * ROW_PX}
          role="img"
          aria-labelledby={id}
          className={styles.plot}
        >
          <title id={id}>{`${title} of ${known.length} evaluations`}</title>
          {known.map((row, line) => (
            <g key={row.id} transform={`translate(0 ${line * ROW_PX})`}>
              <text x="0" y="12">
                {row.label}
              </text>
              {row.amounts.map((amount, place) => {
                const before = row.amounts.slice(0, place).reduce<number>((sum, one) => sum + (one ?? 0), 0);
                return amount ? (
                  <rect
                    key={parts[place]}
                    x={px(before)}
                    y="18"
                    width={Math.max(1, px(amount) - (place < parts.length - 1 ? 1 : 0))}
                    height={BAR_PX}
                    rx="1.5"
                    fill={seriesLook(place).colour}
                  />
                ) : null;
              })}
              <text className={styles.sum} x={px(sumOf(row)) + 8} y={18 + BAR_PX - 2}>
                {unit(sumOf(row))}
              </text>
            </g>
          ))}
        </svg>
      </div>
      {parts.length > 1 ? (
        <Legend entries={parts.map((label, place) => ({ label, colour: seriesLook(place).colour }))} />
      ) : null}
    </ChartFrame>
  );
}

function sumOf({ amounts }: AmountRow): number {
  return amounts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}
