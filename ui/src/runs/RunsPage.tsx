import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { isLive, overviewQuery, runsQuery } from "../api/queries";
import { count } from "../format";
import { EmptyState } from "../ui/EmptyState";
import { Notice } from "../ui/Notice";
import { PageHeader } from "../ui/Page";
import { useShortcut } from "../ui/shortcuts";
import { FirstRun } from "./FirstRun";
import { liveFirst, type Sort } from "./order";
import { Pages } from "./Pages";
import { RunFilters } from "./RunFilters";
import styles from "./RunsPage.module.css";
import { RunsTable } from "./RunsTable";
import { SelectionTray } from "./SelectionTray";
import { narrowed, type RunsSearch } from "./search";

const PAGE_SIZE = 50;
const route = getRouteApi("/");

export function RunsPage() {
  const search = route.useSearch();
  const { runs, total, error } = useRuns(search);
  const { toggle, sortBy, clear } = useChanges(search);
  const outlooks = useOutlooks(runs?.some((run) => isLive(run.status)) ?? false);
  const isFiltered = Boolean(search.model || search.benchmark || search.status);
  const isFresh = total === 0 && !isFiltered;
  useRunKeys(toggle);

  return (
    <>
      <PageHeader title="Runs" count={total === undefined || isFresh ? undefined : count(total)} />
      {isFresh ? null : <RunFilters search={search} />}
      {error ? <Notice>{error.message}</Notice> : null}
      {isFresh ? <FirstRun /> : null}
      {total === 0 && isFiltered ? <NothingMatches /> : null}
      {runs && runs.length > 0 ? (
        <RunsTable
          runs={runs}
          outlooks={outlooks}
          picked={search.pick ?? []}
          onPick={toggle}
          sort={search.sort}
          onSort={sortBy}
        />
      ) : null}
      {total !== undefined && total > PAGE_SIZE ? (
        <Pages search={search} total={total} size={PAGE_SIZE} />
      ) : null}
      {search.pick ? <SelectionTray picked={search.pick} onClear={clear} /> : null}
    </>
  );
}

/** One page of runs. The first also shows those that are running and too old to be on it. */
function useRuns(search: RunsSearch) {
  const { model, benchmark, sort } = search;
  const filter = { model_slug: model, benchmark, limit: PAGE_SIZE };
  const isFirst = !search.page && !search.status && !sort;
  const page = useQuery(
    runsQuery({ ...filter, sort, status: search.status, offset: ((search.page ?? 1) - 1) * PAGE_SIZE }),
  );
  const running = useQuery({ ...runsQuery({ ...filter, status: "running" }), enabled: isFirst });
  const onTop = isFirst ? (running.data?.runs ?? []) : [];
  const runs = page.data && (isFirst ? liveFirst(onTop, page.data.runs) : page.data.runs);
  return { runs, total: page.data?.total, error: page.error };
}

function useOutlooks(isBusy: boolean) {
  const { data } = useQuery({ ...overviewQuery, enabled: isBusy });
  const live = isBusy && data ? [...data.running_runs, ...data.queued_runs] : [];
  return new Map(live.map((one) => [one.id, one]));
}

function useChanges(search: RunsSearch) {
  const navigate = useNavigate();
  const go = (change: RunsSearch) =>
    void navigate({ to: "/", search: change, replace: true, resetScroll: false });
  const { pick = [], ...rest } = search;
  return {
    toggle: (runId: string) =>
      go({ ...search, pick: pick.includes(runId) ? pick.filter((one) => one !== runId) : [...pick, runId] }),
    sortBy: (sort: Sort | undefined) => go(narrowed(search, { sort })),
    clear: () => go(rest),
  };
}

/** `j` and `k` move from run to run, `x` selects the one that has the focus. */
function useRunKeys(toggle: (runId: string) => void) {
  useShortcut("j", () => move(1));
  useShortcut("k", () => move(-1));
  useShortcut("x", () => {
    const row = document.activeElement?.closest<HTMLElement>("tbody[data-run]");
    if (row?.dataset["run"]) toggle(row.dataset["run"]);
  });
}

function move(step: 1 | -1) {
  const links = [...document.querySelectorAll<HTMLElement>("tbody[data-run] th a")];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}

function NothingMatches() {
  return (
    <EmptyState title="No run matches">
      <p>
        <Link to="/" className={styles.link}>
          Show all runs
        </Link>
      </p>
    </EmptyState>
  );
}
