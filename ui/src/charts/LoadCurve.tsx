import { useId } from "react";
import { ChartFrame, Legend } from "./ChartFrame";
import styles from "./LoadCurve.module.css";
import { type LoadSeries, loadScales, loadTicks, shown } from "./loadCurve";
import plotStyles from "./plot.module.css";
import { seriesLook } from "./series";
import { useWidth } from "./useWidth";

interface Props {
  title: string;
  note: string;
  series: readonly LoadSeries[];
  /** What the load is a number of. */
  axis: string;
  unit: (value: number) => string;
}

const HEIGHT = 240;
const PAD = { left: 58, right: 16, top: 10, bottom: 40 };
const TICK_PX = 34;

/** Measures against load, both logarithmic; a hollow point is one that the generator may have distorted. */
export function LoadCurve({ title, note, series, axis, unit }: Props) {
  const [box, width] = useWidth();
  const id = useId();
  const scales = loadScales(series);
  if (!scales) return null;
  const x = (load: number) => PAD.left + scales.load.at(load) * (width - PAD.left - PAD.right);
  const y = (value: number) => PAD.top + (1 - scales.value.at(value)) * (HEIGHT - PAD.top - PAD.bottom);
  const looks = series.map(({ label }, place) => ({ label, ...seriesLook(place) }));
  const loads = series.flatMap(({ points }) => points.map(({ load }) => load));
  return (
    <ChartFrame title={title} note={note} table={<PointTable series={series} axis={axis} unit={unit} />}>
      <div ref={box}>
        <svg width={width} height={HEIGHT} role="img" aria-labelledby={id} className={plotStyles.plot}>
          <title id={id}>{`${title} against ${axis}`}</title>
          <g className={plotStyles.axes}>
            {scales.value.ticks.map((tick) => (
              <g key={tick}>
                <line x1={PAD.left} x2={width - PAD.right} y1={y(tick)} y2={y(tick)} />
                <text x={PAD.left - 8} y={y(tick) + 4} textAnchor="end">
                  {unit(tick)}
                </text>
              </g>
            ))}
            {loadTicks(loads, x, TICK_PX).map((load) => (
              <text key={load} x={x(load)} y={HEIGHT - PAD.bottom + 18} textAnchor="middle">
                {figure(load)}
              </text>
            ))}
            <text x={(PAD.left + width - PAD.right) / 2} y={HEIGHT - 4} textAnchor="middle">
              {axis}
            </text>
          </g>
          {series.map((one, place) => (
            <Curve
              key={one.label}
              series={one}
              colour={looks[place]?.colour}
              dash={looks[place]?.dash}
              x={x}
              y={y}
            />
          ))}
        </svg>
      </div>
      <Legend entries={looks} />
    </ChartFrame>
  );
}

interface CurveProps {
  series: LoadSeries;
  colour: string | undefined;
  dash: string | undefined;
  x: (load: number) => number;
  y: (value: number) => number;
}

function Curve({ series, colour, dash, x, y }: CurveProps) {
  const points = shown(series);
  return (
    <g stroke={colour}>
      <path
        d={points.map(({ load, value }, place) => `${place ? "L" : "M"}${x(load)},${y(value)}`).join("")}
        strokeDasharray={dash}
      />
      {points.map(({ load, value, isDoubtful }, place) => (
        <circle
          // oxlint-disable-next-line react/no-array-index-key -- two stages may have the same load
          key={place}
          className={styles.point}
          cx={x(load)}
          cy={y(value)}
          r="4"
          fill={isDoubtful ? "var(--surface)" : colour}
        />
      ))}
    </g>
  );
}

function PointTable({ series, axis, unit }: Pick<Props, "series" | "axis" | "unit">) {
  const [first] = series;
  if (!first) return null;
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{axis}</th>
          {series.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {first.points.map(({ load, isDoubtful }, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- two stages may have the same load
          <tr key={place}>
            <th scope="row">
              {figure(load)}
              {isDoubtful ? " (doubtful)" : ""}
            </th>
            {series.map(({ label, points }) => {
              const value = points[place]?.value ?? null;
              return <td key={label}>{value === null ? "—" : unit(value)}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function figure(load: number): string {
  return String(Number(load.toPrecision(3)));
}
