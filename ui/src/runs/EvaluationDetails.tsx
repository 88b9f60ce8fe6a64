import type { Estimate } from "../api/client";
import { IntervalTrack } from "../charts/IntervalTrack";
import { asWords, count, percent, percentNumber } from "../format";
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
              <th scope="row">{asWords(name)}</th>
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
