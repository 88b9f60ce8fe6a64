import type { Timing } from "../api/client";
import { count, milliseconds } from "../format";
import styles from "./StreamTimeline.module.css";

interface Phase {
  name: "waiting" | "reasoning" | "answer" | "whole";
  label: string;
  from: number;
  to: number;
}

/** How a reply came in: the wait for its first token, its reasoning, its answer. */
export function StreamTimeline({ timing }: { timing: Timing }) {
  const phases = phasesOf(timing);
  const total = Math.max(timing.duration_ms, Number.MIN_VALUE);
  return (
    <figure className={styles.timeline} aria-label="How the reply came in">
      <div className={styles.bar} aria-hidden="true">
        {phases.map(({ name, from, to }) => (
          <span key={name} data-phase={name} style={{ flexGrow: Math.max((to - from) / total, 0.002) }} />
        ))}
      </div>
      <ul className={styles.legend}>
        {phases.map(({ name, label, from, to }) => (
          <li key={name} data-phase={name}>
            {label} <strong>{milliseconds(to - from)}</strong>
          </li>
        ))}
      </ul>
      <dl className={styles.figures}>
        <Figure name="First token" value={optional(timing.ttft_ms)} />
        <Figure name="First answer token" value={optional(timing.ttfat_ms)} />
        <Figure name="Longest gap" value={optional(timing.max_gap_ms)} />
        <Figure name="Longest silence" value={optional(timing.silence_ms)} />
        <Figure name="Stalls" value={count(timing.stalls)} />
        <Figure name="Chunks" value={count(timing.chunks)} />
        <Figure name="Tokens/s" value={timing.tokens_per_s === null ? "—" : timing.tokens_per_s.toFixed(1)} />
        <Figure name="In all" value={milliseconds(timing.duration_ms)} />
      </dl>
    </figure>
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
