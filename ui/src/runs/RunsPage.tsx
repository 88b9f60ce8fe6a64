import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
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
import { isFiltered, narrowed, type RunsSearch, runsSearch } from "./search";

const PAGE_SIZE = 50;
const route = getRouteApi("/");

export function RunsPage() {
  const search = route.useSearch();
  const { runs, total, outlooks, error } = useRuns(search);
  const { toggle, pickAll, sortBy, clear } = useChanges(search);
  const isFresh = total === 0 && !isFiltered(search);
  useRunKeys(toggle);

  return (
    <>
      <PageHeader title="Runs" count={total === undefined || isFresh ? undefined : count(total)} />
      {isFresh ? null : <RunFilters search={search} />}
      {error ? <Notice>{error.message}</Notice> : null}
      {isFresh ? <FirstRun /> : null}
      {total === 0 && !isFresh ? <NothingMatches isArchive={search.archived ?? false} /> : null}
      {runs && runs.length > 0 ? (
        <RunsTable
          runs={runs}
          outlooks={outlooks}
          picked={search.pick ?? []}
          onPick={toggle}
          onPickAll={pickAll}
          sort={search.sort}
          onSort={sortBy}
        />
      ) : null}
      {total !== undefined && total > PAGE_SIZE ? (
        <Pages search={search} total={total} size={PAGE_SIZE} />
      ) : null}
      {search.pick ? (
        <SelectionTray picked={search.pick} isArchive={search.archived ?? false} onClear={clear} />
      ) : null}
    </>
  );
}

/** One page of runs. The first also shows those that are running and too old to be on it. */
function useRuns(search: RunsSearch) {
  const { q, model, benchmark, tag, archived, sort } = search;
  const filter = { search: q, model_slug: model, benchmark, tag, is_archived: archived, limit: PAGE_SIZE };
  const isFirst = !search.page && !search.status && !sort && !archived;
  const page = useQuery(
    runsQuery({ ...filter, sort, status: search.status, offset: ((search.page ?? 1) - 1) * PAGE_SIZE }),
  );
  const running = useQuery({ ...runsQuery({ ...filter, status: "running" }), enabled: isFirst });
  const onTop = isFirst ? (running.data?.runs ?? []) : [];
  const found = page.data?.runs;
  const outlooks = useOutlooks([...onTop, ...(found ?? [])].some((run) => isLive(run.status)));
  const places = new Map(
    [...outlooks].flatMap(([id, one]) => (one.queue_position ? [[id, one.queue_position]] : [])),
  );
  const isQueue = isFirst || search.status === "queued";
  return {
    runs: found && isQueue ? liveFirst(onTop, found, places) : found,
    total: page.data?.total,
    outlooks,
    error: page.error,
  };
}

function useOutlooks(isBusy: boolean) {
  const { data } = useQuery({ ...overviewQuery, enabled: isBusy });
  const live = isBusy && data ? [...data.running_runs, ...data.queued_runs] : [];
  return new Map(live.map((one) => [one.id, one]));
}

function useChanges(search: RunsSearch) {
  const navigate = useNavigate();
  const go = useCallback(
    (change: (before: RunsSearch) => RunsSearch) =>
      void navigate({
        to: "/",
        search: (before) => change(runsSearch(before)),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return {
    toggle: useCallback(
      (runId: string) => go((before) => runsSearch({ ...before, pick: toggled(before.pick ?? [], runId) })),
      [go],
    ),
    pickAll: (runIds: string[]) => go(pickOnly(runIds)),
    sortBy: (sort: Sort | undefined) => go(() => narrowed(search, { sort })),
    clear: () => go(pickOnly([])),
  };
}

function pickOnly(pick: string[]) {
  return (before: RunsSearch) => runsSearch({ ...before, pick });
}

function toggled(picked: readonly string[], runId: string): string[] {
  return picked.includes(runId) ? picked.filter((one) => one !== runId) : [...picked, runId];
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
  const links = [...document.querySelectorAll<HTMLElement>("tbody[data-run] a[data-open]")];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}

function NothingMatches({ isArchive }: { isArchive: boolean }) {
  return (
    <EmptyState title={isArchive ? "No archived runs" : "No matches"}>
      <p>
        <Link to="/" className={styles.link}>
          Show all runs
        </Link>
      </p>
    </EmptyState>
  );
}
