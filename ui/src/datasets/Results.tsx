import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { datasetRunsQuery } from "../api/files";
import { isLive } from "../api/queries";
import { count, duration, percent, rate } from "../format";
import { buttonClass } from "../ui/Button";
import { Cost } from "../ui/Cost";
import { type Column, DataTable } from "../ui/DataTable";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { Section } from "../ui/Page";
import { ProgressBar } from "../ui/ProgressBar";
import { StatusMark } from "../ui/StatusMark";
import styles from "./DatasetPage.module.css";

type Row = Schemas["DatasetRunRow"];

/** How models did on it, while they do it too. */
export function Results({ dataset }: { dataset: Schemas["Dataset"] }) {
  const { data, error } = useQuery(datasetRunsQuery(dataset.id));
  const rows = data?.benchmarks ?? [];
  return (
    <Section title="Results by model" note={rows.length > 0 ? count(rows.length) : undefined}>
      {error ? <Notice>{error.message}</Notice> : null}
      {data && rows.length === 0 ? (
        <EmptyState title="No results yet">
          <p>Run it with one model, or with several to compare them line by line.</p>
          <Link
            to="/runs/new"
            search={{ benchmark: [dataset.benchmark] }}
            className={buttonClass({ tone: "primary" })}
          >
            <Icon name="play" />
            Run it
          </Link>
        </EmptyState>
      ) : null}
      {rows.length > 0 ? (
        <DataTable
          caption="Models on this data set"
          columns={COLUMNS}
          rows={rows}
          keyOf={(one) => one.evaluation_id}
        />
      ) : null}
      {rows.length > 1 ? (
        <Link
          to="/compare"
          search={{
            run: [...new Set(rows.map(({ run_id }) => run_id))],
            ...(dataset.graded === 0 ? { view: "answers" } : {}),
          }}
          className={`${buttonClass()} ${styles.start}`}
        >
          <Icon name="compare" />
          Compare them line by line
        </Link>
      ) : null}
    </Section>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: "Model",
    isHeading: true,
    cell: ({ model_id, run_id }) => (
      <Link to="/runs/$runId" params={{ runId: run_id }} className={styles.link}>
        <ModelName model={model_id} />
      </Link>
    ),
  },
  { name: "Status", cell: ({ state }) => <StatusMark state={state} /> },
  {
    name: "Progress",
    cell: ({ completed, total, model_id, state }) =>
      completed < total || isLive(state) ? (
        <div className={styles.progress}>
          <ProgressBar completed={completed} total={total} label={`Progress of ${model_id}`} />
        </div>
      ) : (
        `${count(completed)} of ${count(total)}`
      ),
  },
  { name: "No reply", isNumber: true, isSoft: true, cell: ({ failed }) => count(failed) },
  {
    name: "Score",
    isNumber: true,
    cell: ({ score, state }) =>
      score === null ? (state === "succeeded" ? "not graded" : "—") : percent(score),
  },
  {
    name: "Replies",
    isNumber: true,
    cell: ({ requests_per_s }) => (requests_per_s === null ? "—" : rate(requests_per_s)),
  },
  {
    name: "Output tokens",
    isNumber: true,
    cell: ({ throughput }) => (throughput === null ? "—" : rate(throughput)),
  },
  {
    name: "Time",
    isNumber: true,
    isSoft: true,
    cell: ({ state, eta_seconds, total_time_seconds }) =>
      isLive(state)
        ? eta_seconds === null
          ? "waiting"
          : `${duration(eta_seconds * 1000)} left`
        : duration(total_time_seconds * 1000),
  },
  {
    name: "Cost",
    isNumber: true,
    isSoft: true,
    cell: ({ cost_usd, state }) => <Cost amount={cost_usd} state={state} />,
  },
  {
    name: "Download",
    cell: ({ benchmark_id }) => (
      <span className={styles.downloads}>
        <a href={`/admin/benchmarks/${benchmark_id}/results.jsonl`} download>
          JSONL
        </a>
        <a href={`/admin/benchmarks/${benchmark_id}/results.csv`} download>
          CSV
        </a>
      </span>
    ),
  },
];
