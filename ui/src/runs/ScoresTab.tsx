import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { EvaluationDetail, RunDetail } from "../api/client";
import { benchmarksQuery, runQuery } from "../api/queries";
import { count } from "../format";
import { DataBadge } from "../ui/Badge";
import { CompositePanel } from "./CompositePanel";
import { EvaluationCard } from "./EvaluationCard";
import { byBenchmark } from "./order";
import { ResultsTable } from "./ResultsTable";
import { RunFacts } from "./RunFacts";
import styles from "./ScoresTab.module.css";

/** Few runs are races. */
const RacePanel = lazy(() => import("./RacePanel"));

/** With more, only the table shows them at first. */
const MOST_OPEN = 4;

const route = getRouteApi("/runs/$runId");

export function ScoresTab() {
  const { runId } = route.useParams();
  const { data: run } = useQuery(runQuery(runId));
  if (!run) return null;
  const groups = Map.groupBy(byBenchmark(run, run.evaluations), ({ benchmark }) => benchmark);
  return (
    <>
      <ResultsTable run={run} />
      <RunFacts run={run} />
      {run.stop === null ? null : (
        <Suspense>
          <RacePanel run={run} />
        </Suspense>
      )}
      <CompositePanel run={run} />
      {[...groups].map(([benchmark, evaluations]) => (
        <Benchmark key={benchmark} run={run} name={benchmark} evaluations={evaluations} />
      ))}
    </>
  );
}

interface Props {
  run: RunDetail;
  name: string;
  evaluations: readonly EvaluationDetail[];
}

function Benchmark({ run, name, evaluations }: Props) {
  const { data } = useQuery(benchmarksQuery);
  const card = data?.benchmarks.find((one) => one.name === name);
  const [first] = evaluations;
  if (!first) return null;
  const cards = evaluations.map((evaluation) => (
    <EvaluationCard
      key={evaluation.id}
      runId={run.id}
      evaluation={evaluation}
      chance={card?.chance}
      said={run.error_message}
    />
  ));
  return (
    <section className={styles.benchmark} aria-labelledby={`benchmark-${name}`}>
      <div className={styles.heading}>
        <h2 id={`benchmark-${name}`}>{card?.display_name ?? name}</h2>
        <DataBadge source={first.data.source} />
        <p>
          version {first.version} · {first.mode} protocol · {itemsAsked(first)}
        </p>
      </div>
      {run.evaluations.length <= MOST_OPEN ? (
        cards
      ) : (
        <details className={styles.details}>
          <summary>
            {count(evaluations.length)} {evaluations.length === 1 ? "evaluation" : "evaluations"} in detail
          </summary>
          {cards}
        </details>
      )}
    </section>
  );
}

function itemsAsked({ total, samples, benchmark_size, data }: EvaluationDetail): string {
  const items = total / samples;
  const kind = data.source === "demo" ? "demo items" : "items";
  const asked =
    items === benchmark_size ? `all ${count(items)}` : `${count(items)} of ${count(benchmark_size)}`;
  return samples > 1 ? `${asked} ${kind}, ${samples} samples each` : `${asked} ${kind}`;
}
