import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { EvaluationDetail, RunDetail } from "../api/client";
import { benchmarksQuery, isLive } from "../api/queries";
import { type EvaluationTraffic, NO_TRAFFIC, type Traffic, trafficKey, trafficQuery } from "../api/traffic";
import { IntervalTrack } from "../charts/IntervalTrack";
import { ungraded } from "../charts/outcomes";
import { count, milliseconds, percent, percentNumber, shortCount, usd } from "../format";
import { accuracySoFar, usedBy } from "../live/soFar";
import { type Column, DataTable } from "../ui/DataTable";
import { ModelName } from "../ui/ModelName";
import { stateLabel } from "../ui/StatusMark";
import { WarningMark } from "../ui/WarningMark";
import { byBenchmark } from "./order";
import styles from "./ResultsTable.module.css";

interface Part {
  evaluation: EvaluationDetail;
  live: EvaluationTraffic | undefined;
}

/** Every model on every benchmark, at a glance; each result leads to its items. */
export function ResultsTable({ run }: { run: RunDetail }) {
  const { data: catalogue } = useQuery(benchmarksQuery);
  const { data: traffic = NO_TRAFFIC } = useQuery(trafficQuery(run.id));
  const parts = partsOf(run, traffic);
  const benchmarks = [...new Set(parts.map(({ evaluation }) => evaluation.benchmark))];
  const [only, ...others] = benchmarks;
  if (only === undefined) return null;
  if (others.length === 0) {
    return (
      <DataTable
        caption={`Models on ${only}`}
        columns={columnsOf(run.id)}
        rows={parts}
        keyOf={({ evaluation }) => evaluation.id}
      />
    );
  }
  const named = (name: string) =>
    catalogue?.benchmarks.find((one) => one.name === name)?.display_name ?? name;
  return (
    <div className={styles.matrix}>
      <DataTable
        caption="Models and benchmarks"
        columns={matrixColumns(run.id, benchmarks, named)}
        rows={[...Map.groupBy(parts, ({ evaluation }) => evaluation.model)]}
        keyOf={([model]) => model}
      />
    </div>
  );
}

type ModelRow = [model: string, parts: Part[]];

function matrixColumns(
  runId: string,
  benchmarks: readonly string[],
  named: (benchmark: string) => string,
): Column<ModelRow>[] {
  return [
    { name: "Model", isHeading: true, cell: ([model]) => <ModelName model={model} /> },
    ...benchmarks.map((benchmark): Column<ModelRow> => ({
      name: named(benchmark),
      cell: ([, own]) => {
        const part = own.find(({ evaluation }) => evaluation.benchmark === benchmark);
        return part ? <Cell runId={runId} part={part} /> : "—";
      },
    })),
  ];
}

function partsOf(run: RunDetail, { evaluations }: Traffic): Part[] {
  return byBenchmark(run, run.evaluations).map((evaluation) => ({
    evaluation,
    live: isLive(evaluation.status)
      ? evaluations[trafficKey(evaluation.model, evaluation.benchmark)]
      : undefined,
  }));
}

function columnsOf(runId: string): Column<Part>[] {
  return [
    {
      name: "Model",
      isHeading: true,
      cell: ({ evaluation }) => (
        <ItemsLink runId={runId} evaluation={evaluation}>
          <ModelName model={evaluation.model} />
        </ItemsLink>
      ),
    },
    {
      name: "Score",
      cell: ({ evaluation }) => (
        <div className={styles.score}>
          <Score evaluation={evaluation} />
        </div>
      ),
    },
    { name: "Scored", isNumber: true, cell: ({ evaluation }) => scoredOf(evaluation) },
    { name: "Cost", isNumber: true, cell: (part) => costOf(part) ?? "—" },
    { name: "Tokens", isNumber: true, cell: (part) => tokensOf(part) ?? "—" },
    { name: "TTFT", isNumber: true, cell: ({ evaluation }) => firstTokenOf(evaluation) ?? "—" },
  ];
}

function Cell({ runId, part }: { runId: string; part: Part }) {
  const { evaluation } = part;
  const cost = costOf(part);
  const tokens = tokensOf(part);
  const firstToken = firstTokenOf(evaluation);
  return (
    <ItemsLink runId={runId} evaluation={evaluation}>
      <span className={styles.score}>
        <Score evaluation={evaluation} />
      </span>
      <span className={styles.facts}>
        <span>scored {scoredOf(evaluation)}</span>
        {cost ? <span>{cost}</span> : null}
        {tokens ? <span>{tokens} tokens</span> : null}
        {firstToken ? <span title="Time to the first token, median">TTFT {firstToken}</span> : null}
      </span>
    </ItemsLink>
  );
}

interface LinkProps {
  runId: string;
  evaluation: EvaluationDetail;
  children: React.ReactNode;
}

function ItemsLink({ runId, evaluation: { model, benchmark }, children }: LinkProps) {
  return (
    <Link
      to="/runs/$runId/items"
      params={{ runId }}
      search={{ benchmark, model }}
      className={styles.link}
      title="Show the items"
    >
      {children}
    </Link>
  );
}

/** The score with its interval; before there is one, how far the evaluation is and what it shows so far. */
function Score({ evaluation }: { evaluation: EvaluationDetail }) {
  const { score, status, warnings, progress } = evaluation;
  if (score) {
    return (
      <>
        <strong>{percent(score.value)}</strong>
        <span className={styles.interval}>
          {score.interval
            ? `${percentNumber(score.interval.low)} – ${percentNumber(score.interval.high)}`
            : "no interval"}
          <WarningMark warnings={warnings} />
        </span>
        <IntervalTrack estimate={score} />
      </>
    );
  }
  const sofar = accuracySoFar(evaluation);
  const state = status === "succeeded" ? (ungraded(evaluation.outcomes) ?? "No score") : stateLabel(status);
  return (
    <>
      {sofar === undefined ? null : <strong>{percent(sofar)}</strong>}
      <span className={styles.interval}>
        {sofar === undefined ? state : "so far"}
        <WarningMark warnings={warnings} />
      </span>
      {isLive(status) ? (
        <progress
          className={styles.progress}
          value={progress.completed}
          max={progress.total}
          aria-label={`${evaluation.model} on ${evaluation.benchmark}`}
        />
      ) : null}
    </>
  );
}

function scoredOf({ scored, total }: EvaluationDetail): string {
  return `${count(scored)} of ${count(total)}`;
}

function costOf({ evaluation, live }: Part): string | undefined {
  const { costUsd } = usedBy(evaluation, live);
  return costUsd === null ? undefined : usd(costUsd);
}

function tokensOf({ evaluation, live }: Part): string | undefined {
  const { input, output } = usedBy(evaluation, live);
  return input + output > 0 ? shortCount(input + output) : undefined;
}

function firstTokenOf({ latency }: EvaluationDetail): string | undefined {
  const median = latency["ttft_ms"]?.["p50"];
  return median === undefined ? undefined : milliseconds(median);
}
