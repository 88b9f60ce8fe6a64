import type { AttemptDetail } from "../api/client";
import { percent } from "../format";
import { CodeBlock } from "../ui/CodeBlock";
import { OutcomeChip } from "../ui/OutcomeChip";
import { Confinement } from "./Confinement";
import styles from "./Grading.module.css";

/** The verdict and what it rests on. */
export function Grading({ attempt }: { attempt: AttemptDetail }) {
  const { outcome, score, extracted, expected, explanation, details } = attempt;
  const isPartial = score !== null && score > 0 && score < 1;
  const hasDetails = Object.keys(details).length > 0;
  return (
    <section className={styles.grading} aria-label="Verdict">
      <div className={styles.line}>
        <OutcomeChip outcome={outcome} />
        {isPartial ? <strong>{percent(score)}</strong> : null}
        {explanation ? <p>{explanation}</p> : null}
      </div>
      <dl className={styles.answers}>
        {extracted === null ? null : (
          <div>
            <dt>Answer found</dt>
            <dd>{extracted}</dd>
          </div>
        )}
        {expected === null ? null : (
          <div>
            <dt>Expected</dt>
            <dd>{expected}</dd>
          </div>
        )}
      </dl>
      <Confinement details={details} />
      {hasDetails ? (
        <details className={styles.details}>
          <summary>What the grader reported</summary>
          <CodeBlock label="What the grader reported">{JSON.stringify(details, null, 2)}</CodeBlock>
        </details>
      ) : null}
    </section>
  );
}
