import styles from "./Figures.module.css";

/** A few numbers that say how things stand. */
export function Figures({ figures }: { figures: Record<string, string> }) {
  return (
    <dl className={styles.figures}>
      {Object.entries(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
