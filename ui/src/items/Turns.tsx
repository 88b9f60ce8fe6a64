import { CodeBlock } from "../ui/CodeBlock";
import { CopyButton } from "../ui/CopyButton";
import { Markdown } from "../ui/Markdown";
import { drawingIn, type ToolCall, type Turn } from "../api/messages";
import styles from "./Transcript.module.css";

const NAMES: Record<string, string> = { system: "System", user: "Prompt", assistant: "Model", tool: "Tool" };

/** The conversation up to the reply; a tool's answer stands with the call it belongs to. */
export function Turns({ turns, isSource }: { turns: readonly Turn[]; isSource: boolean }) {
  const answers = new Map(turns.flatMap((turn) => (turn.answers ? [[turn.answers, turn]] : [])));
  const called = new Set(turns.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)));
  return turns
    .map((turn, place) => ({ turn, key: `${place}-${turn.role}` }))
    .filter(({ turn }) => !turn.answers || !called.has(turn.answers))
    .map(({ turn, key }) => (
      <section key={key} className={styles.turn} data-role={turn.role} aria-label={nameOf(turn)}>
        <p className={styles.role}>
          {nameOf(turn)}
          {turn.text ? <CopyButton text={turn.text} label={nameOf(turn)} /> : null}
        </p>
        <Media turn={turn} />
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

function nameOf({ name, role }: Turn): string {
  return name ?? NAMES[role] ?? role;
}

/** What a turn shows or lets hear beside its text. */
function Media({ turn }: { turn: Turn }) {
  const drawing = turn.role === "assistant" ? drawingIn(turn.text) : null;
  const drawings = drawing ? [drawing] : [];
  return (
    <>
      {keyed([...turn.pictures, ...drawings]).map(({ url, key }) => (
        <img key={key} className={styles.picture} src={url} alt={`In this message: ${key}`} />
      ))}
      {keyed(turn.sounds).map(({ url, key }) => (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- what is stored has none
        <audio key={key} controls src={url} aria-label={`Sent with this message: ${key}`} />
      ))}
    </>
  );
}

/** The same picture may stand there twice. */
function keyed(urls: readonly string[]) {
  return urls.map((url, place) => ({ url, key: `${place + 1} of ${urls.length}` }));
}

function ToolCallView({ call, answer }: { call: ToolCall; answer: Turn | undefined }) {
  return (
    <details className={styles.call} open>
      <summary>
        <strong>{call.name}</strong>
        {answer?.fault ? <span className={styles.fault}>{answer.fault.replaceAll("_", " ")}</span> : null}
      </summary>
      <CodeBlock label={`What ${call.name} was called with`}>{call.input}</CodeBlock>
      {answer === undefined ? (
        <p className={styles.none}>No answer is stored.</p>
      ) : (
        <CodeBlock label={`What ${call.name} answered`}>{answer.text}</CodeBlock>
      )}
    </details>
  );
}
