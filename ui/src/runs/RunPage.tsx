import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useMatchRoute, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { ApiError, type RunDetail } from "../api/client";
import { isCodeCatalogue } from "../api/codeCatalogue";
import { isLive, runQuery } from "../api/queries";
import { count, short } from "../format";
import { tabTitle } from "../live/tabTitle";
import { EmptyState } from "../ui/EmptyState";
import { Notice } from "../ui/Notice";
import { useShortcut } from "../ui/shortcuts";
import { tabClass, tabCountClass, Tabs } from "../ui/Tabs";
import { isFidelityRun } from "./fidelity";
import { RunHeader } from "./RunHeader";
import { RunReason } from "./RunReason";
import { Verdict } from "./Verdict";

const LiveStrip = lazy(() => import("../live/LiveStrip"));

const route = getRouteApi("/runs/$runId");
const HIDDEN_TAB_MS = 15_000;

export function RunPage() {
  const { runId } = route.useParams();
  const run = useQuery({
    ...runQuery(runId),
    // Events come only while the tab is shown; its title tells the progress all the same.
    refetchInterval: ({ state: { data } }) => (data && isLive(data.status) ? HIDDEN_TAB_MS : false),
    refetchIntervalInBackground: true,
  });
  return (
    <>
      <title>{`${run.data ? tabTitle(run.data) : `Run ${short(runId)}`} · Assay`}</title>
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
      <RunHeader run={run} />
      {isLive(run.status) ? (
        <Suspense>
          <LiveStrip run={run} />
        </Suspense>
      ) : null}
      <RunReason run={run} />
      {hasOwnVerdict ? null : <Verdict run={run} />}
      <RunTabs run={run} />
      <Outlet />
    </>
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
