import { useState } from "react";
import { CodeBlock } from "../ui/CodeBlock";
import { Segments } from "../ui/Segments";
import type { Draft } from "./draft";
import styles from "./Equivalents.module.css";
import { commandOf, curlOf } from "./request";

const KINDS = [
  { value: "cli", label: "Command line" },
  { value: "curl", label: "curl" },
] as const;

/** The same run without this page. */
export function Equivalents({ draft }: { draft: Draft }) {
  const [kind, setKind] = useState<"cli" | "curl">("cli");
  return (
    <div className={styles.same}>
      <Segments label="The same as" value={kind} options={KINDS} onChange={setKind} />
      <CodeBlock label="The same run as a command" isCommand>
        {kind === "cli" ? commandOf(draft) : curlOf(draft, location.origin)}
      </CodeBlock>
    </div>
  );
}
