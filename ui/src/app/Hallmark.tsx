import styles from "./Hallmark.module.css";

export function Hallmark() {
  return (
    <svg className={styles.hallmark} viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path className={styles.plate} d="M7.4 2h9.2L22 7.4v9.2L16.6 22H7.4L2 16.6V7.4Z" />
      <path className={styles.stamp} d="m7.6 12.4 3.1 3.1 5.9-6.5" />
    </svg>
  );
}
