import type { RunDetail } from "../api/client";
import { count } from "../format";
import { Notice } from "../ui/Notice";
import styles from "./RunReason.module.css";

const BY_A_USER = "paused by a user";
const MOST_FAULTS = 5;
const FAILED_PARTS = /^\d[\d,]* of \d[\d,]* evaluations failed(?=:)/;

/** Why the run is not at work. A pause is no fault. */
export function RunReason({ run }: { run: RunDetail }) {
  const { error_message: message, progress } = run;
  if (run.status === "paused") {
    const reason = message && message !== BY_A_USER ? `: ${message}` : "";
    return (
      <p className={styles.paused}>
        Paused at {count(progress.completed)} of {count(progress.total)}
        {reason}
      </p>
    );
  }
  if (!message) return null;
  const [failed] = FAILED_PARTS.exec(message) ?? [];
  const faults = faultsOf(run.evaluations);
  if (!failed || faults.length === 0) return <Notice>{message}</Notice>;
  return (
    <Notice>
      {failed}
      <ul className={styles.faults}>
        {faults.slice(0, MOST_FAULTS).map(({ fault, where }) => (
          <li key={fault}>
            {fault} <span>({where})</span>
          </li>
        ))}
        {faults.length > MOST_FAULTS ? <li>{count(faults.length - MOST_FAULTS)} more</li> : null}
      </ul>
    </Notice>
  );
}

/** Each fault once, with the evaluations that it befell. */
function faultsOf(evaluations: RunDetail["evaluations"]): { fault: string; where: string }[] {
  const failed = evaluations.flatMap((one) => (one.error ? [{ ...one, fault: one.error }] : []));
  return [...Map.groupBy(failed, ({ fault }) => fault)].map(([fault, all]) => {
    const models = Map.groupBy(all, ({ model }) => model);
    const named = [...models].map(
      ([model, own]) => `${model} on ${own.map(({ benchmark }) => benchmark).join(", ")}`,
    );
    return { fault, where: named.join("; ") };
  });
}
