import { lazy, Suspense, useState } from "react";
import type { RunDetail } from "../api/client";
import { count } from "../format";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import styles from "./RunReason.module.css";

const ChangeDialog = lazy(() => import("./ChangeDialog"));

const BY_A_USER = "paused by a user";
/** The call that gives a larger budget is a button here. */
const BUDGET_ADVICE = /;? give a larger one with `[^`]*`/;
const MOST_FAULTS = 5;
const FAILED_PARTS = /^\d[\d,]* of \d[\d,]* evaluations failed(?=:)/;

/** Why the run is not at work. A pause is no fault. */
export function RunReason({ run }: { run: RunDetail }) {
  const { error_message: message, progress } = run;
  const [isChanging, setIsChanging] = useState(false);
  if (run.status === "paused") {
    const [reason = "", advice] = message === BY_A_USER ? [] : (message ?? "").split(BUDGET_ADVICE);
    return (
      <div className={styles.paused}>
        <p>
          Paused at {count(progress.completed)} of {count(progress.total)}
          {reason ? `: ${reason}` : ""}
        </p>
        {advice === undefined ? null : (
          <Button isSmall onClick={() => setIsChanging(true)}>
            Raise the budget …
          </Button>
        )}
        <Suspense>
          {isChanging ? <ChangeDialog run={run} onClose={() => setIsChanging(false)} /> : null}
        </Suspense>
      </div>
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
