import styles from "./Facts.module.css";

/** Names and values; what is null is left out. */
export function Facts({ facts, isMono = false }: { facts: Record<string, string | null>; isMono?: boolean }) {
  return (
    <dl className={styles.facts} data-mono={isMono}>
      {Object.entries(facts).map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
