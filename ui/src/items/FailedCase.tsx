import { CodeBlock } from "../ui/CodeBlock";
import { Differences } from "../ui/Differences";
import styles from "./FailedCase.module.css";

export interface Case {
  input: string;
  expected: string;
  /** Undefined where the program ended without an output. */
  actual: string | undefined;
}

/** The first test that a program failed. */
export function FailedCase({ failed: { input, expected, actual } }: { failed: Case }) {
  return (
    <section className={styles.case} aria-label="Failed case">
      <h3>Failed case</h3>
      <p>Input</p>
      <CodeBlock label="Input">{input}</CodeBlock>
      {actual === undefined ? (
        <>
          <p>Expected output</p>
          <CodeBlock label="Expected output">{expected}</CodeBlock>
        </>
      ) : (
        <ComparedTexts names={["Expected output", "Actual output"]} texts={[expected, actual]} />
      )}
    </section>
  );
}

interface ComparedProps {
  names: readonly [string, string];
  texts: readonly [string, string];
}

/** Two texts side by side; what the other one lacks is marked in each. */
export function ComparedTexts({ names: [first, second], texts: [one, other] }: ComparedProps) {
  return (
    <dl className={styles.pair}>
      <div>
        <dt>{first}</dt>
        <dd>
          <Differences text={one} other={other} />
        </dd>
      </div>
      <div>
        <dt>{second}</dt>
        <dd>
          <Differences text={other} other={one} />
        </dd>
      </div>
    </dl>
  );
}
