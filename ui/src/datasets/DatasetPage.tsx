import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../api/client";
import { datasetQuery, datasetRunsQuery, useDeletion } from "../api/files";
import { count, duration, moment, percent, rate, shortCount } from "../format";
import { Button, buttonClass } from "../ui/Button";
import { type Column, DataTable } from "../ui/DataTable";
import { Dialog } from "../ui/Dialog";
import { EmptyState } from "../ui/EmptyState";
import { Facts } from "../ui/Facts";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { Card, PageHeader, Section } from "../ui/Page";
import { ProgressBar } from "../ui/ProgressBar";
import { StatusMark } from "../ui/StatusMark";
import { toast } from "../ui/Toasts";
import styles from "./DatasetPage.module.css";

const route = getRouteApi("/datasets/$datasetId");

type Dataset = Schemas["Dataset"];
type Row = Schemas["DatasetRunRow"];

export function DatasetPage() {
  const { datasetId } = route.useParams();
  const { data, error } = useQuery(datasetQuery(datasetId));
  if (error) return <EmptyState title="There is no such data set">{error.message}</EmptyState>;
  return data ? <Detail dataset={data} /> : null;
}

function Detail({ dataset }: { dataset: Dataset }) {
  const runs = useQuery(datasetRunsQuery(dataset.id));
  const rows = runs.data?.benchmarks ?? [];
  return (
    <>
      <Link to="/datasets" className={styles.back}>
        <Icon name="back" size={14} /> Data sets
      </Link>
      <PageHeader
        title={dataset.dataset}
        count={`version ${dataset.version}`}
        actions={
          <>
            <Removal dataset={dataset} />
            <Link
              to="/runs/new"
              search={{ benchmark: [dataset.benchmark] }}
              className={buttonClass({ tone: "primary" })}
            >
              <Icon name="play" />
              Run it
            </Link>
          </>
        }
      />
      <Card>
        <Facts facts={factsOf(dataset)} />
      </Card>
      <Section title="Models on it">
        {runs.error ? <Notice>{runs.error.message}</Notice> : null}
        {rows.length > 0 ? (
          <DataTable
            caption="Models on this data set"
            columns={COLUMNS}
            rows={rows}
            keyOf={(one) => one.evaluation_id}
          />
        ) : (
          <EmptyState title="No model has been asked yet">
            <p>Run it with one model, or with several to compare them line by line.</p>
          </EmptyState>
        )}
        {rows.length > 1 ? (
          <Link
            to="/compare"
            search={{ run: [...new Set(rows.map(({ run_id }) => run_id))] }}
            className={styles.link}
          >
            Compare them line by line
          </Link>
        ) : null}
      </Section>
    </>
  );
}

function Removal({ dataset }: { dataset: Dataset }) {
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  const deletion = useDeletion();
  return (
    <>
      <Button tone="danger" onClick={() => setIsAsking(true)}>
        Remove
      </Button>
      {isAsking ? (
        <Dialog title="Remove this version?" onClose={() => setIsAsking(false)}>
          <div className={styles.dialog}>
            <p>The results of its runs stay; it cannot be run again.</p>
            {deletion.error ? <Notice>{deletion.error.message}</Notice> : null}
            <div className={styles.buttons}>
              <Button onClick={() => setIsAsking(false)}>Keep it</Button>
              <Button
                tone="danger"
                isBusy={deletion.isPending}
                onClick={() =>
                  deletion.mutate(dataset.id, {
                    onSuccess: () => {
                      toast("Removed.");
                      void navigate({ to: "/datasets" });
                    },
                  })
                }
              >
                Remove it
              </Button>
            </div>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function factsOf(dataset: Dataset): Record<string, string | null> {
  const graders = Object.entries(dataset.graders).map(([name, lines]) => `${name} ${count(lines ?? 0)}`);
  return {
    Benchmark: dataset.benchmark,
    File: dataset.name,
    Lines: count(dataset.count),
    Graded: dataset.graded === 0 ? "none" : `${count(dataset.graded)} (${graders.join(", ")})`,
    "Models named in it": dataset.models.join(", ") || null,
    Size: `${shortCount(dataset.size_bytes)}B`,
    "SHA-256": dataset.sha256,
    Uploaded: moment(dataset.uploaded_at),
    Owner: dataset.owner,
  };
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
    cell: ({ completed, total, model_id }) => (
      <div className={styles.progress}>
        <ProgressBar completed={completed} total={total} label={`Progress of ${model_id}`} />
      </div>
    ),
  },
  { name: "No reply", isNumber: true, isSoft: true, cell: ({ failed }) => count(failed) },
  { name: "Score", isNumber: true, cell: ({ score }) => (score === null ? "—" : percent(score)) },
  {
    name: "Requests",
    isNumber: true,
    cell: ({ requests_per_s }) => (requests_per_s === null ? "—" : rate(requests_per_s)),
  },
  {
    name: "Tokens",
    isNumber: true,
    cell: ({ throughput }) => (throughput === null ? "—" : rate(throughput)),
  },
  {
    name: "Left",
    isNumber: true,
    isSoft: true,
    cell: ({ eta_seconds }) => (eta_seconds ? duration(eta_seconds * 1000) : "—"),
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
