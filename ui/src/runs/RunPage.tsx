import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useMatchRoute, useNavigate } from "@tanstack/react-router";
import { ApiError, type RunDetail } from "../api/client";
import { isCodeCatalogue } from "../api/code";
import { isLive, overviewQuery, runQuery } from "../api/queries";
import { count, short } from "../format";
import { DataBadge } from "../ui/Badge";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { ProgressBar } from "../ui/ProgressBar";
import { StatusMark } from "../ui/StatusMark";
import { useShortcut } from "../ui/shortcuts";
import { tabClass, tabCountClass, Tabs } from "../ui/Tabs";
import { CallTraffic } from "./CallTraffic";
import { isFidelityRun } from "./fidelity";
import { outlookParts } from "./Outlook";
import { RunControls } from "./RunControls";
import styles from "./RunPage.module.css";
import { Verdict } from "./Verdict";

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
      <EmptyState isPage title="Run not found">
        <p>{error.message}</p>
      </EmptyState>
    );
  }
  return <Notice>{error.message}</Notice>;
}

function Report({ run }: { run: RunDetail }) {
  const matchRoute = useMatchRoute();
  // Another margin gives another verdict: two of them would seem to contradict each other.
  const hasOwnVerdict = matchRoute({ to: "/runs/$runId/fidelity", params: { runId: run.id } });
  return (
    <>
      <header className={styles.header}>
        <div className={styles.heading}>
          <h1>
            <ModelNames models={run.models} />{" "}
            <span className={styles.on}>on {run.selected_benchmarks.join(", ")}</span>
          </h1>
          <div className={styles.status}>
            <StatusMark state={run.status} isInterrupted={run.is_interrupted} />
            <DataBadge source={run.data} />
            <code>{short(run.id)}</code>
            {run.name ? <span>{run.name}</span> : null}
            {run.tags.length > 0 ? <span>{run.tags.map((tag) => `#${tag}`).join(" ")}</span> : null}
          </div>
        </div>
        <RunControls run={run} />
      </header>
      {isLive(run.status) ? <Live run={run} /> : null}
      <Reason run={run} />
      {hasOwnVerdict ? null : <Verdict run={run} />}
      <RunTabs run={run} />
      <Outlet />
    </>
  );
}

const BY_A_USER = "paused by a user";

/** Why the run is not at work. A pause is no fault. */
function Reason({ run }: { run: RunDetail }) {
  const { error_message: message, progress } = run;
  if (run.status !== "paused") return message ? <Notice>{message}</Notice> : null;
  const reason = message && message !== BY_A_USER ? `: ${message}` : "";
  return (
    <p className={styles.paused}>
      Paused at {count(progress.completed)} of {count(progress.total)}
      {reason}
    </p>
  );
}

function Live({ run }: { run: RunDetail }) {
  const { data } = useQuery(overviewQuery);
  const outlook = [...(data?.running_runs ?? []), ...(data?.queued_runs ?? [])].find(
    ({ id }) => id === run.id,
  );
  const parts = outlook ? outlookParts(outlook) : [];
  return (
    <div className={styles.live}>
      <ProgressBar {...run.progress} label="Progress of the run" />
      {parts.length > 0 ? <p>{parts.join(" · ")}</p> : null}
      <CallTraffic runId={run.id} />
    </div>
  );
}

const TABS = [
  { to: "/runs/$runId", label: "Scores" },
  { to: "/runs/$runId/fidelity", label: "Fidelity" },
  { to: "/runs/$runId/tasks", label: "Tasks" },
  { to: "/runs/$runId/items", label: "Items" },
  { to: "/runs/$runId/latency", label: "Latency" },
  { to: "/runs/$runId/charts", label: "Charts" },
  { to: "/runs/$runId/judgements", label: "Gradings" },
  { to: "/runs/$runId/config", label: "Config & provenance" },
  { to: "/runs/$runId/events", label: "Events" },
] as const;

function RunTabs({ run }: { run: RunDetail }) {
  const { runId } = route.useParams();
  const navigate = useNavigate();
  const matchRoute = useMatchRoute();
  const hasTasks = run.selected_benchmarks.some(isCodeCatalogue);
  const isJudged = matchRoute({ to: "/runs/$runId/fidelity", params: { runId } });
  const hidden = new Set([hasTasks ? "" : "Tasks", isFidelityRun(run) || isJudged ? "" : "Fidelity"]);
  const tabs = TABS.filter(({ label }) => !hidden.has(label));
  const current = tabs.findIndex(({ to }) => matchRoute({ to, params: { runId } }));

  function step(by: number) {
    const next = tabs[Math.max(0, current) + by];
    if (next) void navigate({ to: next.to, params: { runId } });
  }
  useShortcut("[", () => step(-1));
  useShortcut("]", () => step(1));

  return (
    <Tabs label="Views of the run">
      {tabs.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ runId }}
          className={tabClass}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
        >
          {label}
          {label === "Items" && run.progress.completed > 0 ? (
            <span className={tabCountClass}>{count(run.progress.completed)}</span>
          ) : null}
        </Link>
      ))}
    </Tabs>
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
