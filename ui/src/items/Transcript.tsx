import { lazy, Suspense, useState } from "react";
import type { AttemptDetail } from "../api/client";
import { CodeBlock } from "../ui/CodeBlock";
import { CopyButton } from "../ui/CopyButton";
import { Markdown } from "../ui/Markdown";
import { Notice } from "../ui/Notice";
import { Segments } from "../ui/Segments";
import { Calls } from "./Calls";
import { PatchView } from "./CodeEvidenceView";
import { Grading } from "./Grading";
import { conversationOf, drawingIn, turnsOf } from "../api/messages";
import { Timelines } from "./Timelines";
import styles from "./Transcript.module.css";
import { Turns } from "./Turns";

// Only agents and conversations have steps.
const TranscriptSteps = lazy(() => import("./TranscriptSteps"));

type View = "text" | "source" | "json";

const VIEWS = [
  { value: "text", label: "Formatted" },
  { value: "source", label: "As sent" },
  { value: "json", label: "Raw JSON" },
] as const;

/** Everything that is stored about one attempt: what was asked, what came, how it was judged, how long it took. */
export function Transcript({ attempt }: { attempt: AttemptDetail }) {
  const [view, setView] = useState<View>("text");
  return (
    <div className={styles.transcript}>
      <Grading attempt={attempt} />
      {attempt.error ? <Notice>{attempt.error}</Notice> : null}
      <div className={styles.bar}>
        <Segments label="Show the texts" value={view} options={VIEWS} onChange={setView} />
      </div>
      {view === "json" ? (
        <CodeBlock label="The attempt as JSON" isTall>
          {JSON.stringify(attempt, null, 2)}
        </CodeBlock>
      ) : (
        <Texts attempt={attempt} isSource={view === "source"} />
      )}
      {attempt.test_code ? (
        <Fold title="Test code">
          <CodeBlock label="Test code" language={languageOf(attempt)} isTall>
            {attempt.test_code}
          </CodeBlock>
        </Fold>
      ) : null}
      <Timelines attempt={attempt} />
      <Calls attempt={attempt} />
    </div>
  );
}

/** Benchmarks in several languages name theirs. */
function languageOf({ details }: AttemptDetail): string {
  return typeof details["language"] === "string" ? details["language"] : "python";
}

function Texts({ attempt, isSource }: { attempt: AttemptDetail; isSource: boolean }) {
  const conversation = conversationOf(attempt.response);
  const prompt = <Turns turns={turnsOf(attempt.prompt)} isSource={isSource} />;
  if (!conversation) {
    return (
      <>
        {prompt}
        <Reply attempt={attempt} isSource={isSource} />
      </>
    );
  }
  const isLong = conversation.turns.filter(({ role }) => role === "assistant").length > 1;
  const isAgent = conversation.facts.some(([name]) => name === "agent_ended");
  const beginsWithPrompt = conversation.turns[0]?.text === turnsOf(attempt.prompt)[0]?.text;
  return (
    <>
      {beginsWithPrompt ? null : prompt}
      <Reasoning text={attempt.reasoning} />
      {isLong ? (
        <Suspense>
          <TranscriptSteps
            attempt={attempt}
            turns={conversation.turns}
            isAgent={isAgent}
            isSource={isSource}
          />
        </Suspense>
      ) : (
        <Turns turns={conversation.turns} isSource={isSource} />
      )}
      {conversation.facts.map(([name, value]) =>
        // A patch with a verdict stands there already.
        name === "patch" ? (
          attempt.extracted === value ? null : (
            <PatchView key={name} patch={value} />
          )
        ) : (
          <p key={name} className={styles.none}>
            {name.replaceAll("_", " ")}: {value}
          </p>
        ),
      )}
    </>
  );
}

function Reasoning({ text }: { text: string }) {
  if (!text) return null;
  return (
    <Fold title="Reasoning" note={`${text.length.toLocaleString("en-US")} characters`}>
      <div className={styles.reasoning}>{text}</div>
    </Fold>
  );
}

function Reply({ attempt, isSource }: { attempt: AttemptDetail; isSource: boolean }) {
  const drawing = drawingIn(attempt.response);
  return (
    <>
      <Reasoning text={attempt.reasoning} />
      <section className={styles.turn} data-role="assistant" aria-label="Reply">
        <p className={styles.role}>
          Reply
          {attempt.is_cut ? <span className={styles.cut}>cut at the token cap</span> : null}
          {attempt.response ? <CopyButton text={attempt.response} label="Reply" /> : null}
        </p>
        {drawing && !isSource ? (
          <img className={styles.picture} src={drawing} alt="What the reply draws" />
        ) : null}
        {attempt.response ? (
          isSource ? (
            <div className={styles.source}>{attempt.response}</div>
          ) : (
            <Markdown>{attempt.response}</Markdown>
          )
        ) : (
          <p className={styles.none}>No reply</p>
        )}
      </section>
    </>
  );
}

function Fold({ title, note, children }: { title: string; note?: string; children: React.ReactNode }) {
  return (
    <details className={styles.fold}>
      <summary>
        {title} {note ? <span>{note}</span> : null}
      </summary>
      {children}
    </details>
  );
}
