import { useEffect, useRef, useState } from "react";
import type { AttemptDetail } from "../api/client";
import type { Turn } from "../api/messages";
import { count, milliseconds, usd } from "../format";
import { Button } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import { inputClass } from "../ui/Field";
import { markText } from "./transcriptMarks";
import { isFound, laidOutJson, type Step, stepsOf, stepTitle } from "./transcriptSteps";
import styles from "./TranscriptSteps.module.css";
import { Turns } from "./Turns";

/** More steps than these begin as a list of their titles. */
const MOST_OPEN = 30;
const LEAST_SEARCHED = 2;

interface Props {
  attempt: AttemptDetail;
  turns: readonly Turn[];
  /** What the reader is shown of the surroundings, after a step, is the screen of a terminal. */
  isAgent: boolean;
  isSource: boolean;
}

/** A conversation step by step, each with what it took; steps can be folded, and searched. */
export default function TranscriptSteps({ attempt, turns, isAgent, isSource }: Props) {
  const [search, setSearch] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const { opening, steps } = stepsOf(turns, attempt.calls);
  const wanted = search.trim().length >= LEAST_SEARCHED ? search.trim() : "";
  const found = steps.map((step, place) => ({ step, place })).filter(({ step }) => isFound(step, wanted));

  useEffect(() => {
    if (!wanted || !list.current) return undefined;
    setAllOpen(list.current, true);
    return markText(list.current, wanted);
  }, [list, wanted]);

  return (
    <>
      <Turns turns={opening} isSource={isSource} />
      <div className={styles.bar}>
        <input
          type="search"
          className={inputClass}
          aria-label="Search the steps"
          placeholder={`Search ${count(steps.length)} steps`}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <span role="status">{wanted ? `${count(found.length)} of ${count(steps.length)}` : ""}</span>
        <Button isSmall onClick={() => setAllOpen(list.current, false)}>
          Fold all
        </Button>
        <Button isSmall onClick={() => setAllOpen(list.current, true)}>
          Unfold all
        </Button>
      </div>
      <ol className={styles.steps} ref={list} aria-label="Steps">
        {found.map(({ step, place }) => (
          <li key={place}>
            <details open={steps.length <= MOST_OPEN || wanted !== ""}>
              <summary>
                <strong>Step {place + 1}</strong>
                <span className={styles.title}>{stepTitle(step)}</span>
                <StepCost step={step} />
              </summary>
              <div className={styles.turns}>
                {isAgent && !isSource ? (
                  <AgentStep step={step} number={place + 1} />
                ) : (
                  <Turns turns={step.turns} isSource={isSource} />
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
      {wanted && found.length === 0 ? <p className={styles.none}>No matches</p> : null}
    </>
  );
}

function setAllOpen(list: HTMLElement | null, isOpen: boolean) {
  for (const one of list?.querySelectorAll<HTMLDetailsElement>("li > details") ?? []) one.open = isOpen;
}

function StepCost({ step: { call } }: { step: Step }) {
  if (!call) return null;
  const { input_tokens: sent, output_tokens: received, cost_usd: cost, duration_ms: duration } = call;
  const parts = [
    ...(sent === null || received === null ? [] : [`${count(sent)} in`, `${count(received)} out`]),
    milliseconds(duration),
    ...(cost === null ? [] : [usd(cost)]),
  ];
  return <span className={styles.cost}>{parts.join(" · ")}</span>;
}

/** Commands and screens keep their lines: Markdown would run them together. */
function AgentStep({ step: { turns }, number }: { step: Step; number: number }) {
  return turns.map((turn, place) => {
    const commands = turn.role === "assistant" ? laidOutJson(turn.text) : undefined;
    const isPlain = turn.toolCalls.length === 0 && turn.pictures.length === 0 && !turn.answers;
    const shown = commands ?? (turn.role === "user" && isPlain ? turn.text : undefined);
    const label = turn.role === "user" ? "Observation" : "Commands";
    return shown === undefined ? (
      // A tool's answer is shown with its call.
      // oxlint-disable-next-line react/no-array-index-key -- the turns of a transcript never change places
      <Turns key={place} turns={turn.answers ? [] : withAnswers(turn, turns)} isSource={false} />
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- as above
      <div key={place} className={styles.screen}>
        <p>{label}</p>
        <CodeBlock label={`${label} of step ${number}`}>{shown}</CodeBlock>
      </div>
    );
  });
}

function withAnswers(turn: Turn, all: readonly Turn[]): Turn[] {
  const own = new Set(turn.toolCalls.map(({ id }) => id));
  return [turn, ...all.filter(({ answers }) => answers !== undefined && own.has(answers))];
}
