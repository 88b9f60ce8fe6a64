import { count } from "../format";
import { Icon } from "../ui/Icon";
import styles from "./OutcomeBar.module.css";
import { occurred, toneOf } from "./outcomes";

/** How the attempts ended: proportions as a bar, figures in the legend. Missing data is hatched. */
export function OutcomeBar({ counts }: { counts: Partial<Record<string, number>> }) {
  const outcomes = occurred(counts);
  if (outcomes.length === 0) return null;
  return (
    <div>
      <div className={styles.bar} aria-hidden="true">
        {outcomes.map((one) => (
          <div
            key={one.outcome}
            className={styles.part}
            data-outcome={toneOf(one)}
            style={{ flexGrow: one.count }}
          />
        ))}
      </div>
      <ul className={styles.legend} aria-label="Outcomes">
        {outcomes.map((one) => (
          <li key={one.outcome}>
            <span className={styles.swatch} data-outcome={toneOf(one)}>
              <Icon name={one.icon} size={12} />
            </span>
            <strong>{count(one.count)}</strong> {one.label}
          </li>
        ))}
      </ul>
    </div>
  );
}
