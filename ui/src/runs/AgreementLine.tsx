import type { Agreement } from "../api/labels";
import { count, decimal, percent } from "../format";
import styles from "./Judgements.module.css";

/** Agreement with what would come about by itself beside it: alone, a high share says little. */
export function AgreementLine({ who, agreement }: { who: string; agreement: Agreement }) {
  const { kappa, observed, by_chance, base_rate, n } = agreement;
  return (
    <dl className={styles.agreement}>
      <div>
        <dt>{who} agree on</dt>
        <dd>
          <strong>{percent(observed)}</strong> of {count(n)}
        </dd>
      </div>
      <div>
        <dt>Cohen’s kappa</dt>
        <dd title="1: full agreement. 0: as by chance.">
          <strong>{kappa === null ? "—" : decimal(kappa, 2)}</strong>
        </dd>
      </div>
      <div>
        <dt>Expected by chance</dt>
        <dd>{percent(by_chance)}</dd>
      </div>
      <div>
        <dt>Always the most common label</dt>
        <dd>{percent(base_rate)}</dd>
      </div>
    </dl>
  );
}
