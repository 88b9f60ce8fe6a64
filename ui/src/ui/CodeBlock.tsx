import { useState } from "react";
import styles from "./CodeBlock.module.css";
import { Icon } from "./Icon";

const FEEDBACK_MS = 1_600;

/** Text to take away: a command, a file, a reply as it was sent. */
export function CodeBlock({
  children,
  label,
  isTall = false,
}: {
  children: string;
  label: string;
  isTall?: boolean;
}) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    await navigator.clipboard.writeText(children);
    setCopied(true);
    setTimeout(() => setCopied(false), FEEDBACK_MS);
  }

  return (
    <div className={styles.block}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard */}
      <pre data-tall={isTall} tabIndex={0} role="region" aria-label={label}>
        {children}
      </pre>
      <button type="button" onClick={copy} aria-label={copied ? "Copied" : `Copy: ${label}`} title="Copy">
        <Icon name={copied ? "check" : "copy"} size={14} />
      </button>
    </div>
  );
}
