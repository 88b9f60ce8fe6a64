import type { ReactNode } from "react";
import styles from "./Answers.module.css";

/** An answer as it stands, in a box that scrolls where it is long. */
export function AnswerText({ model, children }: { model: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
    <div className={styles.text} role="group" aria-label={`Answer of ${model}`} tabIndex={0}>
      {children}
    </div>
  );
}
