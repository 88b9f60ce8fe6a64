import type { ReactNode } from "react";
import styles from "./Badge.module.css";
import { Icon } from "./Icon";

interface Props {
  children: ReactNode;
  tone?: "plain" | "gold" | "good" | "bad";
  title?: string;
}

export function Badge({ children, tone = "plain", title }: Props) {
  return (
    <span className={styles.badge} data-tone={tone} title={title}>
      {children}
    </span>
  );
}

/** Marks every score that does not come from the official data. */
export function DataBadge({ source }: { source: string }) {
  if (source === "official") return null;
  if (source !== "demo") return <Badge title={`Data set: ${source}`}>own data</Badge>;
  return (
    <Badge tone="gold" title="A few items written for trying things out, not the benchmark’s official data">
      <Icon name="flask" size={12} />
      demo
    </Badge>
  );
}
