import type { ReactNode } from "react";
import styles from "./Answers.module.css";
import { differences } from "./diff";

/** An answer as it stands, in a box that scrolls where it is long. */
export function AnswerText({ model, children }: { model: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
    <div className={styles.text} role="group" aria-label={`Answer of ${model}`} tabIndex={0}>
      {children}
    </div>
  );
}

/** A text in which is marked what `other` does not say. */
export function Marked({ text, other }: { text: string; other: string | undefined }) {
  if (other === undefined) return text;
  return differences(text, other).map((part, place) =>
    // oxlint-disable-next-line react/no-array-index-key -- the parts of a text never change places
    part.isShared ? <span key={place}>{part.text}</span> : <mark key={place}>{part.text}</mark>,
  );
}
