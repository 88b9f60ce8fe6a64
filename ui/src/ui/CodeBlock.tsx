import { Code } from "./Code";
import styles from "./CodeBlock.module.css";
import { CopyButton } from "./CopyButton";

/** Text to take away: a command, a file, a reply as it was sent. */
export function CodeBlock({
  children,
  label,
  isTall = false,
  language = "",
}: {
  children: string;
  label: string;
  isTall?: boolean;
  /** Coloured if the language is known. */
  language?: string;
}) {
  return (
    <div className={styles.block}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard */}
      <pre data-tall={isTall} tabIndex={0} role="region" aria-label={label}>
        <Code language={language}>{children}</Code>
      </pre>
      <CopyButton text={children} label={label} />
    </div>
  );
}
