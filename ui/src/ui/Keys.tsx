import styles from "./Keys.module.css";

const IS_MAC = navigator.platform.startsWith("Mac");

/** Keys to press one after the other, or together where the first is `mod`: ⌘ or Ctrl. */
export function Keys({ children }: { children: string }) {
  return (
    <span className={styles.keys}>
      {children.split(" ").map((key) => (
        <kbd key={key}>{key === "mod" ? (IS_MAC ? "⌘" : "Ctrl") : key}</kbd>
      ))}
    </span>
  );
}
