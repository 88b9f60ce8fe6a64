import type { ReactNode } from "react";
import { useId } from "react";
import styles from "./Field.module.css";

interface Wiring {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

interface Props {
  label: string;
  hint?: ReactNode;
  problem?: string | undefined;
  children: (wiring: Wiring) => ReactNode;
}

/** A labelled control; what is wrong with it is said below it and read out with it. */
export function Field({ label, hint, problem, children }: Props) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={styles.field} data-invalid={problem !== undefined}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": note ? `${id}-note` : undefined,
        "aria-invalid": problem ? true : undefined,
      })}
      {note ? (
        <p id={`${id}-note`} className={problem ? styles.problem : styles.hint}>
          {note}
        </p>
      ) : null}
    </div>
  );
}

export const inputClass = styles.input;
