import type { Evaluation } from "../api/client";
import { IntervalTrack } from "../charts/IntervalTrack";
import { ungraded } from "../charts/outcomes";
import { percent, percentNumber } from "../format";
import { ProgressBar } from "../ui/ProgressBar";
import { WarningMark } from "../ui/WarningMark";
import styles from "./Score.module.css";

/** One line on where an evaluation stands: its score, or how far it is, or that it has none. */
export function Score({ evaluation }: { evaluation: Evaluation }) {
  const { score, status, progress } = evaluation;
  if (score) {
    return (
      <div className={styles.score}>
        <IntervalTrack estimate={score} />
        <strong>{percent(score.value)}</strong>
        <span className={styles.interval}>
          {score.interval
            ? `${percentNumber(score.interval.low)} – ${percentNumber(score.interval.high)}`
            : "no interval"}
          <WarningMark warnings={evaluation.warnings} />
        </span>
      </div>
    );
  }
  const notGraded = ungraded(evaluation.outcomes);
  if (status === "succeeded" && notGraded) return <span className={styles.ungraded}>{notGraded}</span>;
  if (status === "running" || (status !== "failed" && progress.completed > 0)) {
    return <ProgressBar {...progress} label={`${evaluation.model} on ${evaluation.benchmark}`} />;
  }
  return <span className={styles.none}>{status === "queued" ? "waiting" : "no score"}</span>;
}
