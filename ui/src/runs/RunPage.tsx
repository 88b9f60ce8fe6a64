import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ApiError, type EvaluationDetail, type RunDetail } from "../api/client";
import { benchmarksQuery, isLive, runQuery } from "../api/queries";
import { count, short } from "../format";
import { DataBadge } from "../ui/Badge";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { ProgressBar } from "../ui/ProgressBar";
import { StatusMark } from "../ui/StatusMark";
import { EvaluationCard } from "./EvaluationCard";
import { byBenchmark } from "./order";
import { RunFacts } from "./RunFacts";
import styles from "./RunPage.module.css";

const route = getRouteApi("/runs/$runId");

export function RunPage() {
  const { runId } = route.useParams();
  const run = useQuery(runQuery(runId));
  return (
    <>
      <title>{`Run ${short(runId)} · Assay`}</title>
      <Link to="/" className={styles.back}>
        <Icon name="back" size={14} /> Runs
      </Link>
      {run.data ? <Report run={run.data} /> : null}
      {run.error ? <Trouble error={run.error} /> : null}
    </>
  );
}

function Trouble({ error }: { error: Error }) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState title="There is no such run">
        <p>{error.message}</p>
      </EmptyState>
    );
  }
  return <Notice>{error.message}</Notice>;
}

function Report({ run }: { run: RunDetail }) {
  const groups = Map.groupBy(byBenchmark(run, run.evaluations), ({ benchmark }) => benchmark);
  return (
    <>
      <header className={styles.header}>
        <h1>
          <ModelNames models={run.models} />{" "}
          <span className={styles.on}>on {run.selected_benchmarks.join(", ")}</span>
        </h1>
        <div className={styles.status}>
          <StatusMark state={run.status} />
        </div>
      </header>
      {isLive(run.status) ? <ProgressBar {...run.progress} label="Progress of the run" /> : null}
      {run.error_message ? <Notice>{run.error_message}</Notice> : null}
      <RunFacts run={run} />
      {[...groups].map(([benchmark, evaluations]) => (
        <Benchmark key={benchmark} name={benchmark} evaluations={evaluations} />
      ))}
    </>
  );
}

function ModelNames({ models }: { models: readonly string[] }) {
  return models.map((model, place) => (
    <span key={model}>
      {place > 0 ? ", " : ""}
      <ModelName model={model} />
    </span>
  ));
}

function Benchmark({ name, evaluations }: { name: string; evaluations: readonly EvaluationDetail[] }) {
  const { data } = useQuery(benchmarksQuery);
  const card = data?.benchmarks.find((one) => one.name === name);
  const [first] = evaluations;
  if (!first) return null;
  return (
    <section className={styles.benchmark} aria-labelledby={`benchmark-${name}`}>
      <div className={styles.heading}>
        <h2 id={`benchmark-${name}`}>{card?.display_name ?? name}</h2>
        <DataBadge source={first.data.source} />
        <p>
          version {first.version} · {first.mode} protocol · {itemsAsked(first)}
        </p>
      </div>
      {evaluations.map((evaluation) => (
        <EvaluationCard key={evaluation.id} evaluation={evaluation} chance={card?.chance} />
      ))}
    </section>
  );
}

function itemsAsked({ total, samples, benchmark_size, data }: EvaluationDetail): string {
  const items = total / samples;
  const kind = data.source === "samples" ? "sample items" : "items";
  const asked =
    items === benchmark_size ? `all ${count(items)}` : `${count(items)} of ${count(benchmark_size)}`;
  return samples > 1 ? `${asked} ${kind}, ${samples} samples each` : `${asked} ${kind}`;
}
