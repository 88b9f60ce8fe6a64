import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { runsQuery } from "../api/queries";
import { count } from "../format";
import { Command } from "../ui/Command";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { liveFirst } from "./order";
import { RunFilters } from "./RunFilters";
import styles from "./RunsPage.module.css";
import { RunsTable } from "./RunsTable";
import type { RunsSearch } from "./search";

const PAGE_SIZE = 50;
const FIRST_COMMAND = "assay run sim/good,sim/weak mmlu_pro,ifeval --data samples";

const route = getRouteApi("/");

export function RunsPage() {
  const search = route.useSearch();
  const { runs, total, error } = useRuns(search);
  const isFiltered = Boolean(search.model || search.benchmark || search.status);
  const isFresh = total === 0 && !isFiltered;

  return (
    <>
      <title>Runs · Assay</title>
      <h1 className={styles.title}>
        Runs {total !== undefined ? <span className={styles.total}>{count(total)}</span> : null}
      </h1>
      {isFresh ? null : <RunFilters search={search} />}
      {error ? <Notice>{error.message}</Notice> : null}
      {isFresh ? <NoRunsYet /> : null}
      {total === 0 && isFiltered ? <NothingMatches /> : null}
      {runs && runs.length > 0 ? <RunsTable runs={runs} /> : null}
      {total !== undefined && total > PAGE_SIZE ? <Pages search={search} total={total} /> : null}
    </>
  );
}

/** One page of runs. The first also shows those that are running and too old to be on it. */
function useRuns(search: RunsSearch) {
  const filter = { model_slug: search.model, benchmark: search.benchmark, limit: PAGE_SIZE };
  const isFirst = !search.page && !search.status;
  const page = useQuery(
    runsQuery({ ...filter, status: search.status, offset: ((search.page ?? 1) - 1) * PAGE_SIZE }),
  );
  const running = useQuery({ ...runsQuery({ ...filter, status: "running" }), enabled: isFirst });
  const onTop = isFirst ? (running.data?.runs ?? []) : [];
  return {
    runs: page.data && liveFirst(onTop, page.data.runs),
    total: page.data?.total,
    error: page.error,
  };
}

function NoRunsYet() {
  return (
    <EmptyState title="No runs yet">
      <p>Try it with two simulated models and the sample items that ship with Assay: no key, no download.</p>
      <Command>{FIRST_COMMAND}</Command>
      <p>The run appears here as soon as it starts.</p>
    </EmptyState>
  );
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

function Pages({ search, total }: { search: RunsSearch; total: number }) {
  const page = search.page ?? 1;
  const first = (page - 1) * PAGE_SIZE + 1;
  const last = Math.min(page * PAGE_SIZE, total);
  return (
    <nav className={styles.pages} aria-label="Pages">
      <Link to="/" search={{ ...search, page: page - 1 }} disabled={page === 1} className={styles.page}>
        <Icon name="back" /> Newer
      </Link>
      <span>
        {count(first)} – {count(last)} of {count(total)}
      </span>
      <Link to="/" search={{ ...search, page: page + 1 }} disabled={last === total} className={styles.page}>
        Older <Icon name="forward" />
      </Link>
    </nav>
  );
}
