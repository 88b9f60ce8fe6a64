import { useId } from "react";
import { count, percentNumber } from "../format";
import { ChartFrame } from "./ChartFrame";
import { loadTicks } from "./loadCurve";
import plotStyles from "./plot.module.css";
import { bandPath, itemTicks, limitPath, type SequencePoint, valueRange, valueTicks } from "./sequence";
import styles from "./SequenceChart.module.css";
import { useWidth } from "./useWidth";

interface Props {
  title: string;
  note: string;
  points: readonly SequencePoint[];
  /** Items that would be asked in all. */
  items: number;
  decidedAfter: number | null;
  /** What the figure is held against: no difference, or a bar. */
  mark: number;
  /** Around the mark, a difference that does not matter. */
  margin: number | null;
  least: number;
}

const HEIGHT = 220;
const TICK_PX = 44;
const PAD = { left: 52, right: 16, top: 18, bottom: 40 };

/** The interval of a figure against the items asked, which holds whenever one looks, and where it was decided. */
export function SequenceChart({ title, note, points, items, decidedAfter, mark, margin, least }: Props) {
  const [box, width] = useWidth();
  const id = useId();
  const [first] = points;
  if (!first) return null;
  const from = Math.max(1, first.items);
  const to = Math.max(items, from + 1);
  const [low, high] = valueRange(points, [mark - (margin ?? 0), mark + (margin ?? 0)], least);
  const right = width - PAD.right;
  const bottom = HEIGHT - PAD.bottom;
  const x = (asked: number) =>
    PAD.left + ((right - PAD.left) * Math.log(Math.max(asked, from) / from)) / Math.log(to / from);
  const y = (value: number) =>
    PAD.top + ((bottom - PAD.top) * (high - Math.min(high, Math.max(low, value)))) / (high - low);
  return (
    <ChartFrame title={title} note={note} table={<PointTable points={points} />}>
      <div ref={box}>
        <svg width={width} height={HEIGHT} role="img" aria-labelledby={id} className={plotStyles.plot}>
          <title id={id}>{`${title}: interval against items asked`}</title>
          <g className={plotStyles.axes}>
            {valueTicks(low, high).map((value) => (
              <g key={value}>
                <line x1={PAD.left} x2={right} y1={y(value)} y2={y(value)} />
                <text x={PAD.left - 8} y={y(value) + 4} textAnchor="end">
                  {percentNumber(value)}
                </text>
              </g>
            ))}
            {loadTicks(itemTicks(from, to), x, TICK_PX).map((tick) => (
              <text key={tick} x={x(tick)} y={bottom + 18} textAnchor="middle">
                {count(tick)}
              </text>
            ))}
            <text x={(PAD.left + right) / 2} y={HEIGHT - 4} textAnchor="middle">
              items asked, of {count(items)}
            </text>
          </g>
          {margin === null ? null : (
            <rect
              className={styles.margin}
              x={PAD.left}
              width={right - PAD.left}
              y={y(mark + margin)}
              height={y(mark - margin) - y(mark + margin)}
            />
          )}
          <g className={styles.limits}>
            <path className={styles.band} d={bandPath(points, x, y)} />
            <path d={limitPath(points.map(({ items: at, high: limit }) => [x(at), y(limit)]))} />
            <path d={limitPath(points.map(({ items: at, low: limit }) => [x(at), y(limit)]))} />
          </g>
          <line className={styles.mark} x1={PAD.left} x2={right} y1={y(mark)} y2={y(mark)} />
          {decidedAfter === null ? null : (
            <g className={styles.decision}>
              <line x1={x(decidedAfter)} x2={x(decidedAfter)} y1={PAD.top} y2={bottom} />
              <circle cx={x(decidedAfter)} cy={y(mark)} r="4" />
              <text
                x={x(decidedAfter)}
                y={PAD.top - 6}
                textAnchor={x(decidedAfter) > width / 2 ? "end" : "start"}
              >
                decided after {count(decidedAfter)}
              </text>
            </g>
          )}
        </svg>
      </div>
    </ChartFrame>
  );
}

function PointTable({ points }: Pick<Props, "points">) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">items</th>
          <th scope="col">least</th>
          <th scope="col">most</th>
        </tr>
      </thead>
      <tbody>
        {points.map(({ items, low, high }) => (
          <tr key={items}>
            <th scope="row">{count(items)}</th>
            <td>{percentNumber(low)}</td>
            <td>{percentNumber(high)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
