import { useId } from "react";
import { ChartFrame, Legend } from "./ChartFrame";
import styles from "./Ecdf.module.css";
import plotStyles from "./plot.module.css";
import { cumulative, type Distribution, rangeOf } from "./distribution";
import { type LogScale, logScale } from "./logScale";
import { seriesLook } from "./series";
import { useWidth } from "./useWidth";

interface Props {
  title: string;
  series: readonly Distribution[];
  unit: (value: number) => string;
}

const HEIGHT = 260;
const PAD = { left: 44, right: 16, top: 10, bottom: 26 };
const SHARES = [0, 0.5, 0.9, 0.99, 1];
const LINES = [0, 0.25, 0.5, 0.75, 1];

/** Which share of the replies was at most so slow, and how many took how long. Further left is faster. */
export function Ecdf({ title, series, unit }: Props) {
  const [box, width] = useWidth();
  const id = useId();
  const range = rangeOf(series);
  if (!range) return null;
  const scale = logScale(...range);
  const x = (value: number) => PAD.left + scale.at(value) * (width - PAD.left - PAD.right);
  const y = (share: number) => PAD.top + (1 - share) * (HEIGHT - PAD.top - PAD.bottom);
  const looks = series.map(({ label }, place) => ({ label, ...seriesLook(place) }));
  return (
    <ChartFrame
      title={title}
      note="share of replies at or below a value"
      table={<QuantileTable series={series} unit={unit} />}
    >
      <div ref={box}>
        <svg width={width} height={HEIGHT} role="img" aria-labelledby={id} className={plotStyles.plot}>
          <title id={id}>{`${title}: cumulative share of replies for ${series.length} evaluations`}</title>
          <Axes scale={scale} x={x} y={y} width={width} unit={unit} />
          {series.map((one, place) => (
            <path
              key={one.label}
              d={stepPath(one, x, y)}
              stroke={looks[place]?.colour}
              strokeDasharray={looks[place]?.dash}
            />
          ))}
        </svg>
      </div>
      <Legend entries={looks} />
    </ChartFrame>
  );
}

interface AxesProps {
  scale: LogScale;
  x: (value: number) => number;
  y: (share: number) => number;
  width: number;
  unit: (value: number) => string;
}

function Axes({ scale, x, y, width, unit }: AxesProps) {
  return (
    <g className={plotStyles.axes}>
      {LINES.map((share) => (
        <g key={share}>
          <line x1={PAD.left} x2={width - PAD.right} y1={y(share)} y2={y(share)} />
          <text x={PAD.left - 8} y={y(share) + 4} textAnchor="end">
            {share * 100} %
          </text>
        </g>
      ))}
      {scale.ticks.map((tick) => (
        <text key={tick} x={x(tick)} y={HEIGHT - 8} textAnchor="middle">
          {unit(tick)}
        </text>
      ))}
    </g>
  );
}

function stepPath(one: Distribution, x: (value: number) => number, y: (share: number) => number): string {
  const points = cumulative(one);
  const [first] = points;
  if (!first) return "";
  return `M${x(first.value)},${y(0)}${points.map(({ value, share }) => `L${x(value)},${y(share)}`).join("")}`;
}

function QuantileTable({ series, unit }: Pick<Props, "series" | "unit">) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Evaluation</th>
          {SHARES.map((share) => (
            <th key={share} scope="col">
              {share * 100} %
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.map((one) => (
          <tr key={one.label}>
            <th scope="row">{one.label}</th>
            {SHARES.map((share) => {
              const reached = cumulative(one).find((point) => point.share >= share - 1e-9);
              return <td key={share}>{reached ? `≤ ${unit(reached.value)}` : "—"}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
