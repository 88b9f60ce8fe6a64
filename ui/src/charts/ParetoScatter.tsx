import { useId } from "react";
import type { Interval } from "../api/client";
import { percent, usd } from "../format";
import { ChartFrame } from "./ChartFrame";
import { placedLabels } from "./labels";
import { logScale } from "./logScale";
import styles from "./ParetoScatter.module.css";
import { frontier } from "./pareto";
import { useWidth } from "./useWidth";

export interface CostPoint {
  id: string;
  label: string;
  cost: number;
  score: number;
  interval: Interval | null;
}

const HEIGHT = 340;
const TICK_PX = 48;
const PAD = { left: 48, right: 24, top: 16, bottom: 34 };

/** Score against cost, which is logarithmic; the line joins what nothing else beats. */
export function ParetoScatter({ points }: { points: readonly CostPoint[] }) {
  const [box, width] = useWidth();
  const id = useId();
  const costs = points.map(({ cost }) => cost);
  const scale = logScale(Math.min(...costs) / 1.6, Math.max(...costs) * 1.6);
  const lows = points.map(({ score, interval }) => interval?.low ?? score);
  const highs = points.map(({ score, interval }) => interval?.high ?? score);
  const floor = Math.max(0, Math.floor(Math.min(...lows) * 10 - 0.5) / 10);
  const ceiling = Math.min(1, Math.ceil(Math.max(...highs) * 10 + 0.5) / 10);
  const x = (cost: number) => PAD.left + scale.at(cost) * (width - PAD.left - PAD.right);
  const y = (score: number) =>
    PAD.top + ((ceiling - score) / (ceiling - floor)) * (HEIGHT - PAD.top - PAD.bottom);
  const best = frontier(points);
  const steps = Array.from(
    { length: Math.round((ceiling - floor) * 10) + 1 },
    (_, place) => floor + place / 10,
  );
  return (
    <ChartFrame
      title="Score against cost"
      note="higher and further left is better; bars are 95 % intervals"
      table={<PointTable points={points} best={best} />}
    >
      <div ref={box}>
        <svg width={width} height={HEIGHT} role="img" aria-labelledby={id} className={styles.plot}>
          <title id={id}>{`Score against cost of ${points.length} evaluations`}</title>
          {steps.map((step) => (
            <g key={step} className={styles.axes}>
              <line x1={PAD.left} x2={width - PAD.right} y1={y(step)} y2={y(step)} />
              <text x={PAD.left - 8} y={y(step) + 4} textAnchor="end">
                {Math.round(step * 100)} %
              </text>
            </g>
          ))}
          {apart(scale.ticks, x).map((tick) => (
            <text key={tick} x={x(tick)} y={HEIGHT - 10} textAnchor="middle">
              {usd(tick)}
            </text>
          ))}
          <polyline
            className={styles.frontier}
            points={best.map((one) => `${x(one.cost)},${y(one.score)}`).join(" ")}
          />
          {points.map((one) => (
            <g key={one.id} className={styles.point} data-best={best.includes(one)}>
              {one.interval ? (
                <line x1={x(one.cost)} x2={x(one.cost)} y1={y(one.interval.low)} y2={y(one.interval.high)} />
              ) : null}
              <circle cx={x(one.cost)} cy={y(one.score)} r="5" />
            </g>
          ))}
          {placedLabels(
            points.map(({ label, cost, score }) => ({ label, x: x(cost), y: y(score) })),
            width,
          ).map((one) => (
            <text
              key={`${one.label} ${one.x} ${one.y}`}
              className={styles.name}
              x={one.x}
              y={one.y}
              textAnchor={one.isRight ? "start" : "end"}
            >
              {one.text}
              <title>{one.label}</title>
            </text>
          ))}
        </svg>
      </div>
    </ChartFrame>
  );
}

/** Those of the ticks whose figures do not run into one another. */
function apart(ticks: readonly number[], x: (cost: number) => number): number[] {
  const kept: number[] = [];
  for (const tick of ticks) {
    const last = kept.at(-1);
    if (last === undefined || x(tick) - x(last) >= TICK_PX) kept.push(tick);
  }
  return kept;
}

function PointTable({ points, best }: { points: readonly CostPoint[]; best: readonly CostPoint[] }) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Evaluation</th>
          <th scope="col">Cost</th>
          <th scope="col">Score</th>
          <th scope="col">On the Pareto front</th>
        </tr>
      </thead>
      <tbody>
        {points.map((one) => (
          <tr key={one.id}>
            <th scope="row">{one.label}</th>
            <td>{usd(one.cost)}</td>
            <td>{percent(one.score)}</td>
            <td>{best.includes(one) ? "yes" : "no"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
