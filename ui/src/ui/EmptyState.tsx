import type { ReactNode } from "react";
import styles from "./EmptyState.module.css";

interface Props {
  title: string;
  children: ReactNode;
}

export function EmptyState({ title, children }: Props) {
  return (
    <section className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
