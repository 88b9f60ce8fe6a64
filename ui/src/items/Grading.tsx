import type { AttemptDetail } from "../api/client";
import { percent } from "../format";
import { Badge } from "../ui/Badge";
import { OutcomeChip } from "../ui/OutcomeChip";
import { codeEvidenceOf } from "./codeEvidence";
import { CodeEvidenceView } from "./CodeEvidenceView";
import { evidenceOf } from "./evidence";
import { Checks, Disagreement, JudgeSaid, Reported } from "./EvidenceViews";
import { ComparedTexts, FailedCase } from "./FailedCase";
import styles from "./Grading.module.css";
import { SandboxFacts } from "./SandboxFacts";

const LONG_WORDS = 4;

/** Of a letter or a number nobody needs to be shown where it differs. */
function areLong(...texts: string[]): boolean {
  return texts.every((text) => text.split(/\s+/, LONG_WORDS).length === LONG_WORDS);
}

/** The verdict and what it rests on. */
export function Grading({ attempt }: { attempt: AttemptDetail }) {
  const { outcome, score, extracted, expected, explanation, error, details, calls } = attempt;
  const code = codeEvidenceOf(details, extracted);
  const evidence = evidenceOf(code?.rest ?? details);
  const isJudged = calls.some(({ role }) => role === "judge") || evidence.votes.length > 0;
  const isCompared =
    expected !== null && extracted !== null && outcome !== "correct" && areLong(extracted, expected);
  const isPartial = score !== null && score > 0 && score < 1;
  return (
    <section className={styles.grading} aria-label="Verdict">
      <div className={styles.line}>
        <OutcomeChip outcome={outcome} />
        {isPartial ? <strong>{percent(score)}</strong> : null}
        {evidence.isReused ? (
          <Badge title="The answer of an earlier run: it cost nothing here">reused</Badge>
        ) : null}
        {explanation && explanation !== error && !isJudged ? <p>{explanation}</p> : null}
      </div>
      {isCompared ? (
        <ComparedTexts names={["Answer found", "Expected"]} texts={[extracted, expected]} />
      ) : null}
      <dl className={styles.answers}>
        {extracted === null || code || isCompared ? null : (
          <div>
            <dt>Answer found</dt>
            <dd>{extracted}</dd>
          </div>
        )}
        {expected === null || isCompared ? null : (
          <div>
            <dt>Expected</dt>
            <dd>{expected}</dd>
          </div>
        )}
      </dl>
      {evidence.robust ? <Disagreement robust={evidence.robust} attempt={attempt} /> : null}
      {isJudged ? <JudgeSaid reply={explanation} evidence={evidence} attempt={attempt} /> : null}
      {evidence.failed ? <FailedCase failed={evidence.failed} /> : null}
      {code ? <CodeEvidenceView code={code.code} /> : null}
      <Checks checks={evidence.checks} />
      {evidence.sandbox ? <SandboxFacts sandbox={evidence.sandbox} /> : null}
      {isJudged ? null : <Reported evidence={evidence} />}
    </section>
  );
}
