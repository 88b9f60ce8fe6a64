import { CodeBlock } from "../ui/CodeBlock";
import { CopyButton } from "../ui/CopyButton";
import { Markdown } from "../ui/Markdown";
import { drawingIn, type ToolCall, type Turn } from "../api/messages";
import styles from "./Transcript.module.css";
import { laidOutParts } from "./transcriptSteps";

const NAMES: Record<string, string> = { system: "System", user: "Prompt", assistant: "Model", tool: "Tool" };

/** The conversation up to the reply; a tool's answer stands with the call it belongs to. */
export function Turns({ turns, isSource }: { turns: readonly Turn[]; isSource: boolean }) {
  const answers = new Map(turns.flatMap((turn) => (turn.answers ? [[turn.answers, turn]] : [])));
  const called = new Set(turns.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)));
  return turns
    .map((turn, place) => ({ turn, key: `${place}-${turn.role}` }))
    .filter(({ turn }) => !turn.answers || !called.has(turn.answers))
    .map(({ turn, key }) => (
      // A region would be a landmark, of which a page has few, each with a name of its own.
      <div key={key} role="group" className={styles.turn} data-role={turn.role} aria-label={nameOf(turn)}>
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
          <ToolCallView
            key={call.id ?? call.name}
            call={call}
            answer={answers.get(call.id ?? "")}
            isSource={isSource}
          />
        ))}
      </div>
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

interface ToolCallProps {
  call: ToolCall;
  answer: Turn | undefined;
  isSource: boolean;
}

function ToolCallView({ call, answer, isSource }: ToolCallProps) {
  const shown = (text: string) => (isSource ? text : laidOutParts(text));
  const id = call.id ? `, ${call.id}` : "";
  return (
    <details className={styles.call} open>
      <summary>
        <strong>{call.name}</strong>
        {answer?.fault ? <span className={styles.fault}>{answer.fault.replaceAll("_", " ")}</span> : null}
      </summary>
      <CodeBlock label={`What ${call.name} was called with${id}`}>{shown(call.input)}</CodeBlock>
      {answer === undefined ? (
        <p className={styles.none}>No answer is stored.</p>
      ) : (
        <CodeBlock label={`What ${call.name} answered${id}`}>{shown(answer.text)}</CodeBlock>
      )}
    </details>
  );
}
