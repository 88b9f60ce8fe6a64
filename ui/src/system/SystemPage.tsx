import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { overviewQuery } from "../api/queries";
import { count, duration, rate, secondsRange, short, shortCount } from "../format";
import { Badge } from "../ui/Badge";
import { type Column, DataTable } from "../ui/DataTable";
import { Figures } from "../ui/Figures";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import { ProgressBar } from "../ui/ProgressBar";
import { Age } from "../ui/Time";
import { Activity } from "./Activity";
import { MaintenanceSwitch } from "./MaintenanceSwitch";
import { SandboxHealth } from "./SandboxHealth";
import styles from "./SystemPage.module.css";

type Worker = Schemas["WorkerState"];
type Outlook = Schemas["RunOutlook"];
type Stalled = Schemas["StalledAttempt"];

export function SystemPage() {
  const { data, error, isPending } = useQuery(overviewQuery);
  return (
    <>
      <PageHeader title="System" lead="Workers, queue and throughput." />
      {error && !data ? <Notice>{error.message}</Notice> : null}
      {isPending ? <p role="status">Loading workers …</p> : null}
      {data ? <Overview data={data} /> : null}
      <Activity />
      <SandboxHealth />
      <MaintenanceSwitch />
    </>
  );
}

function Overview({ data }: { data: Schemas["Overview"] }) {
  const alive = data.workers.filter(({ is_alive }) => is_alive);
  const { last_24h: day, last_7d: week } = data.token_stats;
  const live = [...data.running_runs, ...data.queued_runs];
  return (
    <>
      <Figures
        figures={{
          "Workers alive": count(alive.length),
          "Shards in progress": count(data.queue.running),
          "Shards waiting": count(data.queue.queued),
          "Runs running": count(data.queue_counts["running"] ?? 0),
          "Runs queued": count(data.queue_counts["queued"] ?? 0),
          "Tokens, 24 h": shortCount(day.input_tokens + day.output_tokens),
          "Tokens, 7 days": shortCount(week.input_tokens + week.output_tokens),
        }}
      />
      {alive.length === 0 ? (
        <Notice tone="gold">
          No worker is alive: queued runs wait. Start one with <code>assay worker</code>.
        </Notice>
      ) : null}
      <Section title="Workers">
        {data.workers.length === 0 ? (
          <p className={styles.none}>No worker has reported yet.</p>
        ) : (
          <DataTable
            caption="Workers"
            columns={WORKERS}
            rows={data.workers}
            keyOf={({ worker_id }) => worker_id}
          />
        )}
      </Section>
      {live.length > 0 ? (
        <Section title="Live runs">
          <DataTable caption="Live runs" columns={RUNS} rows={live} keyOf={({ id }) => id} />
        </Section>
      ) : null}
      {data.stalled.length > 0 ? (
        <Section title="Slow attempts" note="running for a long time in this process">
          <DataTable
            caption="Slow attempts"
            columns={STALLED}
            rows={data.stalled}
            keyOf={(one) => `${one.evaluation_id} ${one.item_id} ${one.sample}`}
          />
        </Section>
      ) : null}
    </>
  );
}

const WORKERS: readonly Column<Worker>[] = [
  { name: "Worker", isHeading: true, cell: ({ worker_id }) => worker_id },
  {
    name: "State",
    cell: ({ is_alive, is_draining }) => (
      <Badge tone={is_alive && !is_draining ? "good" : "gold"}>
        {is_alive ? (is_draining ? "draining" : "alive") : "gone"}
      </Badge>
    ),
  },
  { name: "Host", isSoft: true, cell: ({ hostname }) => hostname },
  {
    name: "Load, in shards",
    cell: ({ running_shards, max_concurrent_runs, worker_id }) => (
      <div className={styles.load}>
        <meter
          aria-label={`Load of ${worker_id}`}
          min={0}
          max={Math.max(1, max_concurrent_runs)}
          value={running_shards}
        />
        {running_shards} of {max_concurrent_runs}
      </div>
    ),
  },
  {
    name: "Calls in flight",
    isNumber: true,
    cell: ({ calls_in_flight }) =>
      count(Object.values(calls_in_flight).reduce((sum, calls) => sum + calls, 0)),
  },
  {
    name: "Restricted to",
    isSoft: true,
    cell: ({ only_models, only_owners }) =>
      [...only_models, ...only_owners.map((owner) => `runs of ${owner}`)].join(", ") || "—",
  },
  { name: "Started", isSoft: true, cell: ({ started_at }) => <Age of={started_at} /> },
  { name: "Last seen", isSoft: true, cell: ({ last_seen }) => <Age of={last_seen} /> },
  { name: "Version", isSoft: true, cell: ({ version }) => version },
];

const RUNS: readonly Column<Outlook>[] = [
  {
    name: "Run",
    isHeading: true,
    cell: ({ id, models, selected_benchmarks }) => (
      <Link to="/runs/$runId" params={{ runId: id }} className={styles.link}>
        {models.join(", ")} on {selected_benchmarks.join(", ")} <code>{short(id)}</code>
      </Link>
    ),
  },
  {
    name: "Progress",
    cell: ({ progress, id }) => (
      <div className={styles.progress}>
        <ProgressBar {...progress} label={`Progress of ${short(id)}`} />
      </div>
    ),
  },
  {
    name: "Place in the queue",
    isNumber: true,
    cell: ({ queue_position }) => (queue_position === null ? "—" : count(queue_position)),
  },
  {
    name: "Starts in",
    isNumber: true,
    isSoft: true,
    cell: ({ start_in_s, status }) =>
      status !== "queued" ? "—" : start_in_s === null ? "unknown" : secondsRange(start_in_s),
  },
  {
    name: "Rate",
    isNumber: true,
    cell: ({ attempts_per_s }) => (attempts_per_s === null ? "—" : rate(attempts_per_s)),
  },
  {
    name: "Left",
    isNumber: true,
    cell: ({ finish_in_s }) => (finish_in_s === null ? "—" : secondsRange(finish_in_s)),
  },
  { name: "Priority", isNumber: true, isSoft: true, cell: ({ priority }) => count(priority) },
];

const STALLED: readonly Column<Stalled>[] = [
  { name: "Item", isHeading: true, cell: ({ item_id }) => item_id },
  { name: "Model", cell: ({ model }) => <ModelName model={model} /> },
  { name: "Benchmark", isSoft: true, cell: ({ benchmark }) => benchmark },
  { name: "Since", isNumber: true, cell: ({ idle_s }) => duration(idle_s * 1000) },
];
