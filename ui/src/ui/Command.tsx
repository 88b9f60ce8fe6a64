import { useState } from "react";
import styles from "./Command.module.css";
import { Icon } from "./Icon";

const FEEDBACK_MS = 1_600;

/** A command line to take away. */
export function Command({ children }: { children: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    await navigator.clipboard.writeText(children);
    setCopied(true);
    setTimeout(() => setCopied(false), FEEDBACK_MS);
  }

  return (
    <div className={styles.command}>
      <code>{children}</code>
      <button type="button" onClick={copy} aria-label={copied ? "Copied" : "Copy the command"}>
        <Icon name={copied ? "check" : "copy"} />
      </button>
    </div>
  );
}
