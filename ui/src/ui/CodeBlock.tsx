import { Code } from "./Code";
import styles from "./CodeBlock.module.css";
import { CopyButton } from "./CopyButton";

/** Text to take away: a command, a file, a reply as it was sent. */
export function CodeBlock({
  children,
  label,
  isTall = false,
  language = "",
  isCommand = false,
}: {
  children: string;
  label: string;
  isTall?: boolean;
  /** Coloured if the language is known. */
  language?: string;
  /** Broken between words, never after the first hyphen of an option. */
  isCommand?: boolean;
}) {
  return (
    <div className={styles.block}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard */}
      <pre data-tall={isTall} tabIndex={0} role="region" aria-label={label}>
        {isCommand ? <Words>{children}</Words> : <Code language={language}>{children}</Code>}
      </pre>
      <CopyButton text={children} label={label} />
    </div>
  );
}

function Words({ children }: { children: string }) {
  return (
    <code>
      {children.split(/(\s+)/).map((word, place) =>
        // oxlint-disable-next-line react/no-array-index-key -- a command may hold a word twice
        /\S/.test(word) ? <span key={place}>{word}</span> : word,
      )}
    </code>
  );
}
