import type { Run } from "../../api/client";
import { usd } from "../../format";
import { ModelLine } from "../../ui/ModelLine";
import { Elapsed } from "../../ui/Time";
import { byBenchmark } from "../order";
import styles from "../RunsTable.module.css";
import { Score } from "../Score";
import { Unscored } from "./RunScore";

/** The evaluations of a run, each below the columns of the list. */
export function EvaluationRows({ run }: { run: Run }) {
  return byBenchmark(run, run.evaluations).map((one) => (
    <tr key={one.id} className={styles.evaluation}>
      <th scope="row" colSpan={2} className={styles.model}>
        <ModelLine model={one.model} />
      </th>
      <td className={styles.benchmark}>{one.benchmark}</td>
      <td className={styles.score}>
        {one.error && !one.score ? (
          <p className={styles.error} title={one.error}>
            {one.error}
          </p>
        ) : (
          <Score evaluation={one} />
        )}
        <Unscored evaluations={[one]} />
      </td>
      <td className={styles.cost} data-unknown={one.cost_usd === null}>
        {one.cost_usd === null ? "—" : usd(one.cost_usd)}
      </td>
      <td className={styles.duration}>
        {one.finished_at ? <Elapsed from={one.started_at} to={one.finished_at} /> : null}
      </td>
    </tr>
  ));
}
