import styles from "./ModelLine.module.css";

/** Characters of the end that stay in sight: there is what tells models of one family apart. */
const TAIL = 12;

/** A model on one line. Without room for all of it, the middle is left out. */
export function ModelLine({ model }: { model: string }) {
  const letters = [...model];
  const cut = letters.length > 2 * TAIL ? letters.length - TAIL : letters.length;
  const head = letters.slice(0, cut).join("");
  const provider = head.slice(0, head.indexOf("/") + 1);
  return (
    <span className={styles.line} title={model}>
      <span className={styles.head}>
        {provider ? <span className={styles.provider}>{provider}</span> : null}
        {head.slice(provider.length)}
      </span>
      <span className={styles.tail}>{letters.slice(cut).join("")}</span>
    </span>
  );
}
