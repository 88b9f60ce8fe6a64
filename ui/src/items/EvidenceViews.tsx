import type { AttemptDetail } from "../api/client";
import { usd } from "../format";
import { CodeBlock } from "../ui/CodeBlock";
import { Icon } from "../ui/Icon";
import type { Check, Evidence, Robust, Vote } from "./evidence";
import styles from "./Evidence.module.css";

/** The official rule decides; that a forgiving reader would decide otherwise is worth knowing. */
export function Disagreement({ robust, attempt }: { robust: Robust; attempt: AttemptDetail }) {
  const official = attempt.outcome === "correct";
  const reading = robust.extracted === null ? "finds no answer" : `reads ${robust.extracted}`;
  const flips = robust.isCorrect !== official;
  return (
    <p className={styles.disagreement} data-flips={flips}>
      <Icon name="alert" />
      <span>
        <strong>The readings disagree.</strong> The official rule{" "}
        {attempt.extracted === null ? "finds no answer" : `reads ${attempt.extracted}`}; the robust one{" "}
        {reading}, which is {robust.isCorrect ? "right" : "wrong"}.{" "}
        {flips
          ? "The official verdict counts; the format of the answer may be the cause."
          : "The verdict is the same."}
      </span>
    </p>
  );
}

interface JudgeProps {
  reply: string;
  evidence: Evidence;
  attempt: AttemptDetail;
}

/** Who judged, what was said, and what it cost. */
export function JudgeSaid({ reply, evidence, attempt }: JudgeProps) {
  const models = attempt.calls.flatMap(({ role, served_model }) => (role === "judge" ? [served_model] : []));
  const judges = [...new Set(models.filter((model) => model !== null))].join(", ");
  const { reasoning, ...facts } = evidence.facts;
  return (
    <section className={styles.judge} aria-label="Judge">
      <p className={styles.heading}>
        <strong>Judge</strong> {judges}
        {attempt.judge_cost_usd === null ? null : <span>{usd(attempt.judge_cost_usd)}</span>}
      </p>
      {evidence.votes.length > 0 ? <Votes votes={evidence.votes} /> : null}
      {reasoning ? <p>{reasoning}</p> : null}
      <Figures figures={facts} />
      {reply ? (
        <details>
          <summary>The judge’s reply</summary>
          <CodeBlock label="The judge’s reply">{pretty(reply)}</CodeBlock>
        </details>
      ) : null}
    </section>
  );
}

function Votes({ votes }: { votes: readonly Vote[] }) {
  return (
    <ul className={styles.checks} aria-label="Votes">
      {votes.map(({ judge, isCorrect, error }, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- one judge may vote several times
        <li key={`${judge} ${place}`} data-met={isCorrect}>
          <Icon name={isCorrect === undefined ? "alert" : isCorrect ? "check" : "cross"} size={12} />
          {judge}: {error ?? (isCorrect ? "correct" : "incorrect")}
        </li>
      ))}
    </ul>
  );
}

/** Each demand on the answer, and whether it was met. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  return (
    <ul className={styles.checks} aria-label="Requirements for the answer">
      {checks.flatMap(({ name, verdicts }) =>
        verdicts.map((verdict) => (
          <li key={`${name} ${verdict.name}`} data-met={verdict.isMet}>
            <Icon name={verdict.isMet ? "check" : "cross"} size={12} />
            <code>{name}</code> {verdict.name}
          </li>
        )),
      )}
    </ul>
  );
}

/** Whatever else the grader said: figures, and what programs printed. */
export function Reported({ evidence: { facts, logs } }: { evidence: Evidence }) {
  if (Object.keys(facts).length === 0 && logs.length === 0) return null;
  return (
    <div className={styles.reported}>
      <Figures figures={facts} />
      {logs.map(({ name, text }) => (
        <details key={name} open={text.length < 400 || undefined}>
          <summary>{name}</summary>
          <CodeBlock label={name}>{text}</CodeBlock>
        </details>
      ))}
    </div>
  );
}

function Figures({ figures }: { figures: Record<string, string> }) {
  return (
    <dl className={styles.figures}>
      {Object.entries(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function pretty(reply: string): string {
  try {
    return JSON.stringify(JSON.parse(reply), null, 2);
  } catch {
    return reply;
  }
}
