import { useState } from "react";
import { Icon } from "./Icon";

const FEEDBACK_MS = 1_600;

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), FEEDBACK_MS);
  }

  return (
    <button type="button" onClick={copy} aria-label={copied ? "Copied" : `Copy: ${label}`} title="Copy">
      <Icon name={copied ? "check" : "copy"} size={14} />
    </button>
  );
}
