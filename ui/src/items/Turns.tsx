import { CodeBlock } from "../ui/CodeBlock";
import { Markdown } from "../ui/Markdown";
import type { ToolCall, Turn } from "../api/messages";
import styles from "./Transcript.module.css";

const NAMES: Record<string, string> = { system: "System", user: "Prompt", assistant: "Model", tool: "Tool" };

/** The conversation up to the reply; a tool's answer stands with the call it belongs to. */
export function Turns({ turns, isSource }: { turns: readonly Turn[]; isSource: boolean }) {
  const answers = new Map(turns.flatMap((turn) => (turn.answers ? [[turn.answers, turn.text]] : [])));
  const called = new Set(turns.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)));
  return turns
    .map((turn, place) => ({ turn, key: `${place}-${turn.role}` }))
    .filter(({ turn }) => !turn.answers || !called.has(turn.answers))
    .map(({ turn, key }) => (
      <section
        key={key}
        className={styles.turn}
        data-role={turn.role}
        aria-label={NAMES[turn.role] ?? turn.role}
      >
        <p className={styles.role}>{NAMES[turn.role] ?? turn.role}</p>
        {turn.text ? (
          isSource ? (
            <div className={styles.source}>{turn.text}</div>
          ) : (
            <Markdown>{turn.text}</Markdown>
          )
        ) : null}
        {turn.toolCalls.map((call) => (
          <ToolCallView key={call.id ?? call.name} call={call} answer={answers.get(call.id ?? "")} />
        ))}
      </section>
    ));
}

function ToolCallView({ call, answer }: { call: ToolCall; answer: string | undefined }) {
  return (
    <div className={styles.call}>
      <strong>{call.name}</strong>
      <CodeBlock label={`What ${call.name} was called with`}>{call.input}</CodeBlock>
      {answer === undefined ? (
        <p className={styles.none}>No answer is stored.</p>
      ) : (
        <CodeBlock label={`What ${call.name} answered`}>{answer}</CodeBlock>
      )}
    </div>
  );
}
