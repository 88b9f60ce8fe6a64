import type { Schemas } from "../api/client";
import { Icon } from "./Icon";
import styles from "./WarningMark.module.css";

/** A mark beside a score that says little about the model; nothing where there is no warning. */
export function WarningMark({ warnings }: { warnings: readonly Schemas["ResultWarning"][] }) {
  if (warnings.length === 0) return null;
  const text = warnings.map(({ message }) => message).join("; ");
  return (
    <span className={styles.mark} title={text}>
      <Icon name="alert" size={13} />
      <span className="visually-hidden">Warning: {text}</span>
    </span>
  );
}
