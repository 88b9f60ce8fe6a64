import type { ReactNode } from "react";
import styles from "./EmptyState.module.css";

interface Props {
  title: string;
  /** Stands in place of a whole page, whose heading it has. */
  isPage?: boolean;
  children: ReactNode;
}

export function EmptyState({ title, isPage = false, children }: Props) {
  const Heading = isPage ? "h1" : "h2";
  return (
    <section className={styles.empty}>
      <Heading>{title}</Heading>
      {children}
    </section>
  );
}
