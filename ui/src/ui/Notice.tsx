import type { ReactNode } from "react";
import { inWordsOfTheUi } from "../api/wording";
import { Icon } from "./Icon";
import styles from "./Notice.module.css";

interface Props {
  children: ReactNode;
  tone?: "bad" | "gold";
}

/** Something the reader should know before reading on. */
export function Notice({ children, tone = "bad" }: Props) {
  return (
    <div className={styles.notice} data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      <Icon name="alert" />
      <div>{typeof children === "string" ? inWordsOfTheUi(children) : children}</div>
    </div>
  );
}
