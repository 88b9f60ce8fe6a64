import { useId } from "react";
import type { Timing } from "../api/client";
import { count, milliseconds } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { type Gap, gapsOf, longestGaps, notableGaps, timeTicks } from "./arrivals";
import styles from "./StreamTimeline.module.css";
import { useWidth } from "./useWidth";

interface Phase {
  name: "waiting" | "reasoning" | "answer" | "whole";
  label: string;
  from: number;
  to: number;
}

const NONE: readonly number[] = [];
/** What took less is over before a picture of it says anything. */
const LEAST_MS = 1;
const LISTED = 10;
const PLOT = { height: 74, top: 16, bottom: 52, side: 8, phase: 6 };
const PX_PER_TICK = 90;

interface Props {
  timing: Timing;
  /** When chunks came, in milliseconds since the request was written; empty where that is not stored. */
  arrivals?: readonly number[];
}

/** How a reply came in: the wait for its first token, each chunk after it, and where it halted. */
export function StreamTimeline({ timing, arrivals = NONE }: Props) {
  const phases = phasesOf(timing);
  const gaps = gapsOf(arrivals);
  return (
    <figure className={styles.timeline} aria-label="How the reply came in">
      {timing.duration_ms < LEAST_MS ? null : (
        <Plot timing={timing} phases={phases} arrivals={arrivals} marked={notableGaps(gaps)} />
      )}
      <ul className={styles.legend}>
        {phases.map(({ name, label, from, to }) => (
          <li key={name} data-phase={name}>
            {label} <strong>{milliseconds(to - from)}</strong>
          </li>
        ))}
        {arrivals.length > 0 ? <li data-mark="chunk">a chunk arrived</li> : null}
        {gaps.some(({ isStall }) => isStall) ? <li data-mark="stall">stalled over 2 s</li> : null}
      </ul>
      <dl className={styles.figures}>
        <Figure name="First token" value={optional(timing.ttft_ms)} />
        <Figure name="First answer token" value={optional(timing.ttfat_ms)} />
        <Figure name="Longest gap" value={optional(timing.max_gap_ms)} />
        <Figure name="Longest silence" value={optional(timing.silence_ms)} />
        <Figure name="Stalls" value={count(timing.stalls)} />
        <Figure name="Chunks" value={count(timing.chunks)} />
        <Figure name="Tokens/s" value={timing.tokens_per_s === null ? "—" : timing.tokens_per_s.toFixed(1)} />
        <Figure name="Total" value={milliseconds(timing.duration_ms)} />
      </dl>
      {gaps.length > 0 ? <GapTable gaps={gaps} chunks={timing.chunks} shown={arrivals.length} /> : null}
    </figure>
  );
}

interface PlotProps {
  timing: Timing;
  phases: readonly Phase[];
  arrivals: readonly number[];
  marked: readonly Gap[];
}

function Plot({ timing, phases, arrivals, marked }: PlotProps) {
  const [box, width] = useWidth();
  const id = useId();
  const end = Math.max(timing.duration_ms, arrivals.at(-1) ?? 0, 1e-3);
  const x = (ms: number) => PLOT.side + (ms / end) * (width - 2 * PLOT.side);
  const [longest] = marked;
  return (
    <div ref={box} className={styles.plot}>
      <svg width={width} height={PLOT.height} role="img" aria-labelledby={id}>
        <title id={id}>{spoken(timing, arrivals, marked)}</title>
        {phases.map(({ name, from, to }) => (
          <rect
            key={name}
            data-phase={name}
            x={x(from)}
            width={Math.max(x(to) - x(from), 1)}
            y={PLOT.bottom - PLOT.phase}
            height={PLOT.phase}
          />
        ))}
        {marked.map((gap) => (
          <rect
            key={gap.from}
            data-mark={gap.isStall ? "stall" : "gap"}
            x={x(gap.from)}
            width={Math.max(x(gap.to) - x(gap.from), 1)}
            y={PLOT.top}
            height={PLOT.bottom - PLOT.phase - PLOT.top}
          />
        ))}
        <path
          className={styles.chunks}
          d={arrivals.map((ms) => `M${x(ms).toFixed(1)},${PLOT.top}V${PLOT.bottom - PLOT.phase}`).join("")}
        />
        {longest ? <GapName gap={longest} x={x} width={width} /> : null}
        {timeTicks(end, width / PX_PER_TICK).map((ms) => (
          <g key={ms} className={styles.axis}>
            <line x1={x(ms)} x2={x(ms)} y1={PLOT.bottom} y2={PLOT.bottom + 4} />
            <text x={x(ms)} y={PLOT.height - 5} textAnchor={anchor(x(ms), width)}>
              {ms === 0 ? "0" : milliseconds(ms)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

function GapName({ gap, x, width }: { gap: Gap; x: (ms: number) => number; width: number }) {
  const middle = (x(gap.from) + x(gap.to)) / 2;
  return (
    <text className={styles.gapName} x={middle} y={PLOT.top - 5} textAnchor={anchor(middle, width)}>
      {milliseconds(gap.ms)} gap
    </text>
  );
}

function anchor(x: number, width: number): "start" | "middle" | "end" {
  if (x < 40) return "start";
  return x > width - 40 ? "end" : "middle";
}

function spoken(timing: Timing, arrivals: readonly number[], marked: readonly Gap[]): string {
  const took = `The reply took ${milliseconds(timing.duration_ms)}`;
  if (arrivals.length === 0) return `${took}.`;
  const [longest] = marked;
  const halt = longest ? `; the longest gap was ${milliseconds(longest.ms)}` : " without a notable gap";
  return `${took} in ${count(timing.chunks)} chunks${halt}.`;
}

const COLUMNS: readonly Column<Gap>[] = [
  { name: "After", isHeading: true, cell: ({ from }) => milliseconds(from) },
  { name: "Next chunk at", isNumber: true, cell: ({ to }) => milliseconds(to) },
  { name: "Gap", isNumber: true, cell: ({ ms }) => milliseconds(ms) },
  { name: "", isSoft: true, cell: ({ isStall }) => (isStall ? "stall" : "") },
];

function GapTable({ gaps, chunks, shown }: { gaps: readonly Gap[]; chunks: number; shown: number }) {
  return (
    <details className={styles.data}>
      <summary>Show the data</summary>
      <DataTable
        caption={`The longest of ${count(gaps.length)} gaps`}
        columns={COLUMNS}
        rows={longestGaps(gaps, LISTED)}
        keyOf={({ from }) => String(from)}
      />
      <p>
        The longest gaps. {shown < chunks ? `${count(shown)} of ${count(chunks)} chunks are stored. ` : ""}
        The raw JSON has all stored arrival times.
      </p>
    </details>
  );
}

/** The parts of a reply's time; a moment that was not measured starts no part. */
export function phasesOf({
  ttft_ms,
  ttfat_ms,
  duration_ms,
}: Pick<Timing, "ttft_ms" | "ttfat_ms" | "duration_ms">) {
  if (ttft_ms === null)
    return [{ name: "whole", label: "whole reply", from: 0, to: duration_ms }] satisfies Phase[];
  const phases: Phase[] = [{ name: "waiting", label: "waiting", from: 0, to: ttft_ms }];
  const answer = ttfat_ms ?? duration_ms;
  if (answer > ttft_ms) phases.push({ name: "reasoning", label: "reasoning", from: ttft_ms, to: answer });
  if (ttfat_ms !== null) phases.push({ name: "answer", label: "answer", from: ttfat_ms, to: duration_ms });
  return phases;
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function optional(ms: number | null): string {
  return ms === null ? "—" : milliseconds(ms);
}
