import type { Estimate, EvaluationDetail } from "../api/client";
import { IntervalTrack } from "../charts/IntervalTrack";
import { count, percent, percentNumber } from "../format";
import styles from "./EvaluationDetails.module.css";

interface TableProps {
  title: string;
  estimates: Record<string, Estimate>;
}

/** Further numbers of an evaluation, each with its own interval. */
export function EstimateTable({ title, estimates }: TableProps) {
  const rows = Object.entries(estimates);
  if (rows.length === 0) return null;
  return (
    <details className={styles.details}>
      <summary>
        {title} <span className={styles.count}>{rows.length}</span>
      </summary>
      <table className={styles.table}>
        <tbody>
          {rows.map(([name, estimate]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className={styles.track}>
                <IntervalTrack estimate={estimate} />
              </td>
              <td className={styles.value}>{percent(estimate.value)}</td>
              <td className={styles.soft}>
                {estimate.interval
                  ? `${percentNumber(estimate.interval.low)} – ${percentNumber(estimate.interval.high)}`
                  : "no interval"}
              </td>
              <td className={styles.soft}>n = {count(estimate.n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Everything two scores must share to be comparable. */
export function Provenance({ evaluation }: { evaluation: EvaluationDetail }) {
  const { data, generation, grader, judge } = evaluation;
  const settings = Object.entries(generation).flatMap(([name, value]) => {
    const isSet = value !== null && !(Array.isArray(value) && value.length === 0);
    return isSet ? [`${name} ${JSON.stringify(value)}`] : [];
  });
  const facts = {
    Fingerprint: evaluation.fingerprint,
    Data: data.source,
    Revision: data.revision,
    Checksum: data.checksum,
    Grader: grader,
    ...(judge ? { Judge: judge } : {}),
    Generation: settings.join(", ") || "the server's defaults",
  };
  return (
    <details className={styles.details}>
      <summary>Settings and data</summary>
      <dl className={styles.facts}>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
