import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ArenaPair, pairQuery, useVote, type Winner } from "../api/arena";
import { ApiError } from "../api/client";
import { turnsOf } from "../api/messages";
import { Turns } from "../items/Turns";
import { Button, buttonClass } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { Keys } from "../ui/Keys";
import { Markdown } from "../ui/Markdown";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { PageHeader } from "../ui/Page";
import { useShortcut } from "../ui/shortcuts";
import styles from "./ArenaPage.module.css";
import { Standings } from "./Standings";

const route = getRouteApi("/arena");

/** Two answers of unknown models side by side; who votes learns whose they are. */
export function ArenaPage() {
  const wanted = route.useSearch();
  const pair = useQuery(pairQuery(wanted));
  const hasNone = pair.error instanceof ApiError && pair.error.status === 404;
  return (
    <>
      <PageHeader
        title="Arena"
        lead="Two models answered the same question. Say which answer is better; then you learn whose they are."
      />
      {wanted.model || wanted.benchmark ? (
        <p className={styles.wanted}>
          Only answers {wanted.model ? `of ${wanted.model.join(" and ")}` : "of all models"}
          {wanted.benchmark ? ` to ${wanted.benchmark}` : ""}.{" "}
          <Link to="/arena" search={{}}>
            Show all pairs
          </Link>
        </p>
      ) : null}
      {hasNone ? <Nothing /> : null}
      {pair.error && !hasNone ? <Notice>{pair.error.message}</Notice> : null}
      {pair.data && !hasNone ? (
        <Duel
          key={pair.data.prompt_id}
          pair={pair.data}
          isLoading={pair.isFetching}
          onNext={() => void pair.refetch()}
        />
      ) : null}
      <Standings />
    </>
  );
}

function Nothing() {
  return (
    <EmptyState title="No pairs left to vote on">
      <p>Run two models on the same benchmark: where their answers differ, they meet here.</p>
      <Link to="/runs/new" className={buttonClass({ tone: "primary" })}>
        New run
      </Link>
    </EmptyState>
  );
}

const VOTES: readonly { winner: Winner; label: string; key: string }[] = [
  { winner: "A", label: "A is better", key: "1" },
  { winner: "B", label: "B is better", key: "2" },
  { winner: "tie", label: "Equally good", key: "3" },
  { winner: "both_bad", label: "Both are bad", key: "4" },
];

interface DuelProps {
  pair: ArenaPair;
  isLoading: boolean;
  onNext: () => void;
}

function Duel({ pair, isLoading, onNext }: DuelProps) {
  const vote = useVote();
  const said = vote.data;
  const isTaken = vote.error instanceof ApiError && vote.error.status === 409;
  const isOver = said !== undefined || isTaken;

  function cast(winner: Winner) {
    if (!isOver && !vote.isPending) vote.mutate({ pair: pair.pair, winner });
  }
  useShortcut("1", () => cast("A"));
  useShortcut("2", () => cast("B"));
  useShortcut("3", () => cast("tie"));
  useShortcut("4", () => cast("both_bad"));
  useShortcut("j", onNext);

  return (
    <section className={styles.duel} aria-label="Two answers">
      <div className={styles.question}>
        <p className={styles.benchmark}>{pair.benchmark}</p>
        <Turns turns={turnsOf(pair.prompt)} isSource={false} />
      </div>
      <div className={styles.sides}>
        <Side name="A" answer={pair.answer_a} model={said?.model_a} isBetter={said?.winner === "A"} />
        <Side name="B" answer={pair.answer_b} model={said?.model_b} isBetter={said?.winner === "B"} />
      </div>
      <div className={styles.votes} role="group" aria-label="Your vote">
        {VOTES.map(({ winner, label, key }) => (
          <Button
            key={winner}
            tone={said?.winner === winner ? "primary" : "plain"}
            disabled={isOver || vote.isPending}
            onClick={() => cast(winner)}
          >
            {label} <Keys>{key}</Keys>
          </Button>
        ))}
        <Button tone={isOver ? "primary" : "quiet"} isBusy={isLoading} onClick={onNext}>
          {isOver ? "Next pair" : "Skip"} <Keys>j</Keys>
        </Button>
      </div>
      <p className={styles.said} role="status">
        {said ? (
          <>
            A is <ModelName model={said.model_a} />, B is <ModelName model={said.model_b} />.
          </>
        ) : null}
        {isTaken ? "Somebody has voted on this pair before." : null}
      </p>
      {vote.error && !isTaken ? <Notice>{vote.error.message}</Notice> : null}
    </section>
  );
}

interface SideProps {
  name: "A" | "B";
  answer: string;
  model: string | undefined;
  isBetter: boolean;
}

function Side({ name, answer, model, isBetter }: SideProps) {
  return (
    <section className={styles.side} data-better={isBetter} aria-label={`Answer ${name}`}>
      <h2>
        {name} {model ? <ModelName model={model} /> : null}
      </h2>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard */}
      <div className={styles.answer} role="group" aria-label={`Text of answer ${name}`} tabIndex={0}>
        <Markdown>{answer}</Markdown>
      </div>
    </section>
  );
}
