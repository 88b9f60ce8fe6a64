import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { moment, percent, percentNumber, short } from "../format";
import { ChartFrame } from "./ChartFrame";
import { FigureTable } from "./FigureTable";
import { type HistoryPoint, stretches } from "./history";
import plotStyles from "./plot.module.css";
import styles from "./ScoreHistory.module.css";
import { useWidth } from "./useWidth";

interface Props {
  title: string;
  points: readonly HistoryPoint[];
}

const HEIGHT = 300;
const PAD = { left: 48, right: 24, top: 24, bottom: 30 };
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const PX_PER_DATE = 110;

/** Scores of one model over time. A line joins what was made under the same conditions, and nothing else. */
export function ScoreHistory({ title, points }: Props) {
  const [box, width] = useWidth();
  const id = useId();
  const parts = stretches(points);
  const ordered = parts.flat();
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (!first || !last) return null;
  const span = last.at - first.at;
  const share = (at: number) => (span > 0 ? (at - first.at) / span : 0.5);
  const x = (at: number) => PAD.left + 12 + share(at) * (width - PAD.left - PAD.right - 24);
  const low = Math.min(...ordered.map(({ score, interval }) => interval?.low ?? score));
  const high = Math.max(...ordered.map(({ score, interval }) => interval?.high ?? score));
  const floor = Math.max(0, Math.floor(low * 10 - 0.2) / 10);
  const ceiling = Math.min(1, Math.ceil(high * 10 + 0.2) / 10);
  const y = (score: number) =>
    PAD.top + ((ceiling - score) / (ceiling - floor)) * (HEIGHT - PAD.top - PAD.bottom);
  const steps = Array.from({ length: Math.round((ceiling - floor) * 10) + 1 }, (_, at) => floor + at / 10);
  const breaks = parts.slice(1).map((part, place) => ({
    between: ((parts[place]?.at(-1)?.at ?? first.at) + (part[0]?.at ?? first.at)) / 2,
    fingerprint: part[0]?.fingerprint ?? "",
  }));
  return (
    <ChartFrame
      title={title}
      note="with 95 % intervals; a dashed line marks changed conditions: scores before and after it are not comparable"
      table={
        <FigureTable
          columns={["Time", "Run", "Score", "95 % interval", "Fingerprint"]}
          rows={ordered.map((one) => ({
            name: moment(new Date(one.at).toISOString()),
            cells: [
              short(one.runId),
              percent(one.score),
              one.interval
                ? `${percentNumber(one.interval.low)} – ${percentNumber(one.interval.high)}`
                : "none",
              short(one.fingerprint),
            ],
          }))}
        />
      }
    >
      <div ref={box} className={styles.box}>
        <svg width={width} height={HEIGHT} role="img" aria-labelledby={id} className={plotStyles.plot}>
          <title
            id={id}
          >{`${title}: ${ordered.length} scores, conditions changed ${breaks.length} times`}</title>
          <g className={plotStyles.axes}>
            {steps.map((step) => (
              <g key={step}>
                <line x1={PAD.left} x2={width - PAD.right} y1={y(step)} y2={y(step)} />
                <text x={PAD.left - 8} y={y(step) + 4} textAnchor="end">
                  {Math.round(step * 100)} %
                </text>
              </g>
            ))}
            {dates(first.at, last.at, width).map((at) => (
              <text key={at} x={x(at)} y={HEIGHT - 8} textAnchor="middle">
                {DAY.format(at)}
              </text>
            ))}
          </g>
          {breaks.map(({ between, fingerprint }) => (
            <g key={between} className={styles.break}>
              <line x1={x(between)} x2={x(between)} y1={PAD.top - 8} y2={HEIGHT - PAD.bottom} />
              <text x={x(between) + 4} y={PAD.top - 2}>
                {short(fingerprint)}
              </text>
            </g>
          ))}
          {parts.map((part) => (
            <g key={part[0]?.runId} className={styles.part}>
              <path d={part.map((one, at) => `${at ? "L" : "M"}${x(one.at)},${y(one.score)}`).join("")} />
              {part.map((one) => (
                <g key={one.runId}>
                  {one.interval ? (
                    <line x1={x(one.at)} x2={x(one.at)} y1={y(one.interval.low)} y2={y(one.interval.high)} />
                  ) : null}
                  <circle cx={x(one.at)} cy={y(one.score)} r="4.5" />
                </g>
              ))}
            </g>
          ))}
        </svg>
        {ordered.map((one) => (
          <Link
            key={one.runId}
            to="/runs/$runId"
            params={{ runId: one.runId }}
            className={styles.target}
            style={{ left: x(one.at), top: y(one.score) }}
            title={`${percent(one.score)}, ${moment(new Date(one.at).toISOString())}`}
            aria-label={`Run ${short(one.runId)}: ${percent(one.score)}`}
          />
        ))}
      </div>
    </ChartFrame>
  );
}

/** As many days as there is room to name. */
function dates(from: number, to: number, width: number): number[] {
  if (DAY.format(from) === DAY.format(to)) return [(from + to) / 2];
  const marks = Math.max(2, Math.min(7, Math.floor(width / PX_PER_DATE)));
  const all = Array.from({ length: marks }, (_, place) => from + ((to - from) * place) / (marks - 1));
  return all.filter((at, place) => place === 0 || DAY.format(at) !== DAY.format(all[place - 1]));
}
