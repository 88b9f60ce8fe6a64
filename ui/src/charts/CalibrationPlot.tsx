import { useId } from "react";
import type { Schemas } from "../api/client";
import { count, percent, percentNumber } from "../format";
import styles from "./CalibrationPlot.module.css";
import { ChartFrame, Legend } from "./ChartFrame";
import { FigureTable } from "./FigureTable";
import plotStyles from "./plot.module.css";
import { seriesLook } from "./series";
import { useWidth } from "./useWidth";

export interface CalibrationSeries {
  label: string;
  bins: readonly Schemas["CalibrationBin"][];
}

const WIDEST = 460;
const PAD = { left: 48, right: 16, top: 10, bottom: 38 };
const STEPS = [0, 0.25, 0.5, 0.75, 1];
const LEAST_PX = 3;
const MOST_PX = 9;

/** How often answers are right against how sure the model said it was; the diagonal is perfect calibration. */
export function CalibrationPlot({ series }: { series: readonly CalibrationSeries[] }) {
  const [box, room] = useWidth();
  const id = useId();
  const size = Math.min(room, WIDEST);
  const inner = size - PAD.left - PAD.right;
  const x = (confidence: number) => PAD.left + confidence * inner;
  const y = (correct: number) => PAD.top + (1 - correct) * inner;
  const height = PAD.top + inner + PAD.bottom;
  const most = Math.max(...series.flatMap(({ bins }) => bins.map(({ n }) => n)));
  const radius = (n: number) => LEAST_PX + (MOST_PX - LEAST_PX) * Math.sqrt(n / most);
  const looks = series.map(({ label }, place) => ({ label, ...seriesLook(place) }));
  return (
    <ChartFrame
      title="Calibration"
      note="below the diagonal a model is more certain than it is right; larger points have more answers"
      table={
        <FigureTable
          columns={["Evaluation", "Confidence", "Answers", "Mean confidence", "Correct", "95 % interval"]}
          rows={series.flatMap(({ label, bins }) =>
            bins.map((one) => ({
              name: label,
              cells: [
                `${one.low * 100} – ${percent(one.high)}`,
                count(one.n),
                percent(one.mean_confidence),
                percent(one.correct),
                `${percentNumber(one.interval.low)} – ${percentNumber(one.interval.high)}`,
              ],
            })),
          )}
        />
      }
    >
      <div ref={box}>
        <svg width={size} height={height} role="img" aria-labelledby={id} className={plotStyles.plot}>
          <title
            id={id}
          >{`Share of correct answers by stated confidence, ${series.length} evaluations`}</title>
          <g className={plotStyles.axes}>
            {STEPS.map((step) => (
              <g key={step}>
                <line x1={x(0)} x2={x(1)} y1={y(step)} y2={y(step)} />
                <text x={PAD.left - 8} y={y(step) + 4} textAnchor="end">
                  {step * 100} %
                </text>
                <text x={x(step)} y={y(0) + 18} textAnchor="middle">
                  {step * 100} %
                </text>
              </g>
            ))}
            <text x={x(0.5)} y={height - 4} textAnchor="middle">
              stated confidence
            </text>
          </g>
          <line className={styles.perfect} x1={x(0)} x2={x(1)} y1={y(0)} y2={y(1)} />
          {series.map(({ label, bins }, place) => (
            <g key={label} stroke={looks[place]?.colour} fill={looks[place]?.colour}>
              <path
                d={bins
                  .map((one, at) => `${at ? "L" : "M"}${x(one.mean_confidence)},${y(one.correct)}`)
                  .join("")}
                strokeDasharray={looks[place]?.dash}
              />
              {bins.map((one) => (
                <g key={one.low}>
                  <line
                    x1={x(one.mean_confidence)}
                    x2={x(one.mean_confidence)}
                    y1={y(one.interval.low)}
                    y2={y(one.interval.high)}
                  />
                  <circle cx={x(one.mean_confidence)} cy={y(one.correct)} r={radius(one.n)} />
                </g>
              ))}
            </g>
          ))}
        </svg>
      </div>
      <Legend entries={looks} />
    </ChartFrame>
  );
}
