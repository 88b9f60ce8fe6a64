import type { Outcome } from "../api/client";
import { outcomeKind, toneOf } from "../charts/outcomes";
import { Icon } from "./Icon";
import styles from "./OutcomeChip.module.css";

/** For other marks that look like it. */
export const chipClass = styles.chip;

/** How an attempt ended: a glyph, a colour and a word, so that no one of them is needed. */
export function OutcomeChip({ outcome, isBare = false }: { outcome: Outcome; isBare?: boolean }) {
  const kind = outcomeKind(outcome);
  return (
    <span
      className={styles.chip}
      data-outcome={toneOf(kind)}
      data-bare={isBare}
      title={isBare ? kind.label : undefined}
    >
      <Icon name={kind.icon} size={12} />
      <span className={isBare ? "visually-hidden" : undefined}>{kind.label}</span>
    </span>
  );
}
