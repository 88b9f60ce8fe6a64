import { count, percent } from "../format";
import styles from "./ProgressBar.module.css";

interface Props {
  completed: number;
  total: number;
  label: string;
}

export function ProgressBar({ completed, total, label }: Props) {
  const share = total > 0 ? completed / total : 0;
  return (
    <div className={styles.progress}>
      <progress className={styles.bar} value={completed} max={total} aria-label={label} />
      <span className={styles.figures}>
        <strong>{percent(share)}</strong> {count(completed)} / {count(total)}
      </span>
    </div>
  );
}
