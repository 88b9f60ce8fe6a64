import type { Evaluation, Run } from "../../api/client";
import { isLive } from "../../api/queries";
import { ScoreTicks } from "../../charts/ScoreTicks";
import { count, percent, percentNumber } from "../../format";
import { ProgressBar } from "../../ui/ProgressBar";
import { WarningMark } from "../../ui/WarningMark";
import styles from "../RunsTable.module.css";
import scoreStyles from "../Score.module.css";
import { Score } from "../Score";

/** The score of a run, the range of its scores, how far it is, or why it has none. */
export function RunScore({ run }: { run: Run }) {
  const [only] = run.evaluations;
  if (isLive(run.status) && run.progress.completed > 0) {
    return <ProgressBar {...run.progress} label={`Progress of run ${run.id.slice(0, 8)}`} />;
  }
  const scores = run.evaluations.flatMap(({ score }) => score?.value ?? []);
  if (scores.length > 0 && run.evaluations.length > 1) return <Range run={run} scores={scores} />;
  const error = run.evaluations.find((one) => one.error && !one.score)?.error;
  if (error && scores.length === 0) {
    return (
      <p className={styles.error} title={error}>
        {error}
      </p>
    );
  }
  return only ? <Score evaluation={only} /> : null;
}

/** How many attempts have a verdict, where some have none. */
export function Unscored({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const graded = evaluations.filter(({ score }) => score);
  const scored = graded.reduce((sum, one) => sum + one.scored, 0);
  const total = graded.reduce((sum, one) => sum + one.total, 0);
  if (scored === total) return null;
  return (
    <span className={styles.unscored}>
      {count(scored)} / {count(total)} scored
    </span>
  );
}

function Range({ run, scores }: { run: Run; scores: readonly number[] }) {
  const low = Math.min(...scores);
  const high = Math.max(...scores);
  const range = scores.length === 1 ? percent(low) : `${percentNumber(low)} – ${percent(high)}`;
  return (
    <div className={scoreStyles.score}>
      <ScoreTicks scores={scores} />
      <span className={styles.range}>
        <strong>{range}</strong>
        <span className={scoreStyles.interval}>
          {scores.length === 1 ? " 1 score" : ` ${count(scores.length)} scores`}
        </span>
        <WarningMark warnings={run.evaluations.flatMap(({ warnings }) => warnings)} />
      </span>
    </div>
  );
}
