import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import type { RunEstimate, Schemas } from "../api/client";
import { useStartRun } from "../api/start";
import { count, secondsRange, shortCount, usd } from "../format";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import type { Draft } from "./draft";
import { Equivalents } from "./Equivalents";
import { showOption } from "./showOption";
import styles from "./EstimatePanel.module.css";
import { PreflightList } from "./PreflightList";
import { type Problems, problemsOf, requestOf } from "./request";

interface Props {
  draft: Draft;
  problems: Problems;
  estimate: UseQueryResult<RunEstimate>;
  preflight: UseQueryResult<Schemas["Preflight"]>;
  change: (part: Draft) => void;
}

/** What the run would use, and the button that starts it. */
export function EstimatePanel({ draft, problems, estimate, preflight, change }: Props) {
  const hasProblems = Object.keys(problemsOf(draft)).length > 0;
  const missing =
    missingParts(draft) ?? (hasProblems ? "Correct the marked fields to see an estimate." : undefined);
  const found = missing ? undefined : preflight.data;
  const lacksData = found?.checks.some(({ needs, is_ready }) => needs === "data" && !is_ready);
  return (
    <aside className={styles.panel} aria-label="Estimate">
      <h2>Estimate</h2>
      {missing ? <p className={styles.missing}>{missing}</p> : null}
      {!missing && estimate.data && !estimate.error && !lacksData ? (
        <Figures estimate={estimate.data} isStale={estimate.isFetching} />
      ) : null}
      {!missing && !estimate.data && !estimate.error && !lacksData ? (
        <p className={styles.missing}>Estimating …</p>
      ) : null}
      {found ? (
        <PreflightList found={found} costs={estimate.data?.evaluations ?? []} onShow={showOption} />
      ) : null}
      {estimate.error && !missing && found?.is_ready !== false ? (
        <Notice>{estimate.error.message}</Notice>
      ) : null}
      {lacksData && draft.data !== "demo" ? (
        <Button isSmall onClick={() => change({ data: "demo" })}>
          Use the demo items instead
        </Button>
      ) : null}
      <StartButton
        draft={draft}
        isReady={!missing && !lacksData && Object.keys(problems).length === 0 && !estimate.error}
      />
      <Equivalents draft={draft} />
    </aside>
  );
}

function missingParts(draft: Draft): string | undefined {
  const missing = [draft.model?.length ? "" : "a model", draft.benchmark?.length ? "" : "a benchmark"].filter(
    Boolean,
  );
  return missing.length > 0 ? `Choose ${missing.join(" and ")} to see an estimate.` : undefined;
}

function Figures({ estimate, isStale }: { estimate: RunEstimate; isStale: boolean }) {
  const { input_tokens: sent, output_tokens: received, cost_usd: cost, duration_s: time } = estimate;
  return (
    <dl className={styles.figures} aria-busy={isStale}>
      <Figure name="Cost">
        {cost ? (cost.high === 0 ? "free" : `${usd(cost.low)} – ${usd(cost.high)}`) : "price unknown"}
      </Figure>
      <Figure name="Attempts">{count(estimate.attempts)}</Figure>
      <Figure name="Tokens in">
        {shortCount(sent.low)} – {shortCount(sent.high)}
      </Figure>
      <Figure name="Tokens out">
        {shortCount(received.low)} – {shortCount(received.high)}
      </Figure>
      <Figure name="Time">{time ? secondsRange(time) : "not measured yet"}</Figure>
    </dl>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function StartButton({ draft, isReady }: { draft: Draft; isReady: boolean }) {
  const navigate = useNavigate();
  const start = useStartRun();
  const key = useRef("");

  function go() {
    key.current ||= crypto.randomUUID();
    start.mutate(
      { request: requestOf(draft), key: key.current },
      {
        onSuccess: (run) => navigate({ to: "/runs/$runId", params: { runId: run.id } }),
        onError: () => (key.current = ""),
      },
    );
  }

  return (
    <>
      <Button tone="primary" icon="play" disabled={!isReady} isBusy={start.isPending} onClick={go}>
        Start run
      </Button>
      {start.error ? <Notice>{start.error.message}</Notice> : null}
    </>
  );
}
