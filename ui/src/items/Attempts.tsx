import { useState } from "react";
import type { Schemas } from "../api/client";
import { RetryAttempt } from "../code/RetryAttempt";
import { OutcomeChip } from "../ui/OutcomeChip";
import styles from "./Attempts.module.css";
import { Labels } from "./Labels";
import { Transcript } from "./Transcript";

interface Props {
  item: Schemas["ItemDetail"];
  first: number;
  onAnnotated?: () => Promise<void>;
}

/** The attempts at one item, one at a time; several samples stand side by side to choose from. */
export function Attempts({ item, first, onAnnotated }: Props) {
  const [chosen, setChosen] = useState(first);
  const attempt = item.attempts.find(({ sample }) => sample === chosen) ?? item.attempts[0];
  if (!attempt) return <p>No attempt at this item has ended yet.</p>;
  return (
    <div className={styles.attempts}>
      {item.attempts.length > 1 ? (
        <div className={styles.samples} role="group" aria-label="Samples">
          {item.attempts.map(({ sample, outcome }) => (
            <button
              key={sample}
              type="button"
              aria-pressed={sample === attempt.sample}
              onClick={() => setChosen(sample)}
            >
              {sample + 1} <OutcomeChip outcome={outcome} isBare />
            </button>
          ))}
        </div>
      ) : null}
      <RetryAttempt key={`retry ${attempt.id}`} item={item} attempt={attempt} />
      <Transcript key={attempt.id} attempt={attempt} />
      {item.is_masked ? null : (
        <Labels key={`label ${attempt.id}`} item={item} attempt={attempt} onAnnotated={onAnnotated} />
      )}
    </div>
  );
}
