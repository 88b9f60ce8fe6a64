import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useEffectEvent, useRef } from "react";
import type { EvaluationDetail, RunDetail } from "../api/client";
import { runQuery } from "../api/queries";
import { short } from "../format";
import { Command } from "../ui/Command";
import { EmptyState } from "../ui/EmptyState";
import { useColumns } from "./columns";
import { ItemFilters } from "./ItemFilters";
import { ItemGrid } from "./ItemGrid";
import { isRefused, Masked } from "./Masked";
import styles from "./ItemsPage.module.css";
import { type ItemRows, useItemRows } from "./rows";
import { isNarrowed, isQueue, type ItemsSearch } from "./search";
import { ReviewState } from "./ReviewBar";
import { useReview } from "./review";

const route = getRouteApi("/runs/$runId/items");
const Peek = lazy(() => import("./Peek"));

/** The attempts of one evaluation: a list of any length, and one of them beside it. */
export function ItemsPage() {
  const { runId } = route.useParams();
  const search = route.useSearch();
  const { data: run } = useQuery(runQuery(runId));
  const evaluation = run && chosenEvaluation(run, search);
  if (!run || !evaluation) return null;
  if (run.offloaded_at !== null) return <Offloaded run={run} />;
  return <Items run={run} evaluation={evaluation} search={search} />;
}

function Offloaded({ run }: { run: RunDetail }) {
  return (
    <EmptyState title="The items of this run are offloaded">
      <p>
        They were moved out of the database into files. Scores, comparisons and exports work as before.
        Whoever operates this installation brings the items back with:
      </p>
      <Command>{`assay offload --restore ${short(run.id)}`}</Command>
    </EmptyState>
  );
}

function chosenEvaluation(run: RunDetail, { model, benchmark }: ItemsSearch): EvaluationDetail | undefined {
  const fits = (one: EvaluationDetail) =>
    (!model || one.model === model) && (!benchmark || one.benchmark === benchmark);
  return run.evaluations.find(fits) ?? run.evaluations[0];
}

interface Props {
  run: RunDetail;
  evaluation: EvaluationDetail;
  search: ItemsSearch;
}

function Items({ run, evaluation, search }: Props) {
  const navigate = route.useNavigate();
  const rows = useItemRows(run.id, evaluation, search);
  const columns = useColumns({ evaluation, search, categories: rows.categories });
  const review = useReview(run.id, evaluation, search);
  const page = useRef<HTMLDivElement>(null);
  const isOpen = search.item !== undefined;
  const openAt = useEffectEvent(open);
  // A link may name the place of an item in the list instead of the item.
  const toOpen = isOpen || rows.isStale || !rows.at(search.at ?? 0) ? undefined : search.at;
  useEffect(() => {
    if (toOpen !== undefined) openAt(toOpen);
  }, [toOpen]);
  // The list and the item beside it fill the window.
  useEffect(() => {
    if (isOpen) page.current?.scrollIntoView({ block: "start" });
  }, [isOpen]);

  function open(at: number) {
    const row = rows.at(at);
    if (!row) return;
    const opened = { item: row.item_id, at, ...(row.sample > 0 ? { sample: row.sample } : {}) };
    void navigate({
      search: ({ sample: _before, ...rest }) => ({ ...rest, ...opened }),
      replace: true,
      resetScroll: false,
    });
  }

  function close() {
    void navigate({
      search: ({ item: _i, at: _a, sample: _s, ...rest }) => rest,
      replace: true,
      resetScroll: false,
    });
  }

  return (
    <div ref={page} className={styles.page} data-peek={isOpen}>
      <div className={styles.list}>
        {search.item === undefined ? (
          <Masked runId={run.id} isMasked={rows.isMasked} error={rows.error} />
        ) : null}
        <ItemFilters run={run} evaluation={evaluation} search={search} rows={rows} columns={columns} />
        {rows.isMasked ? null : <ReviewState run={run} evaluation={evaluation} search={search} />}
        <Results rows={rows} search={search} columns={columns} onOpen={open} />
      </div>
      {search.item === undefined ? null : (
        <Suspense>
          <Peek
            key={`${evaluation.id} ${search.item}`}
            run={run}
            evaluation={evaluation}
            itemId={search.item}
            sample={search.sample ?? 0}
            at={search.at}
            total={rows.total}
            hasMore={rows.hasMore}
            part={search.q}
            onMove={open}
            onClose={close}
            onAnnotated={review.onAnnotated}
          />
        </Suspense>
      )}
    </div>
  );
}

interface ResultsProps {
  rows: ItemRows;
  search: ItemsSearch;
  columns: ReturnType<typeof useColumns>;
  onOpen: (at: number) => void;
}

function Results({ rows, search, columns, onOpen }: ResultsProps) {
  const { total, error } = rows;
  if (isRefused(error)) return null;
  if (error) return <EmptyState title="The items cannot be shown">{error.message}</EmptyState>;
  if (total === undefined) return null;
  // Another list starts at its top.
  const { item: _item, at: _at, sample: _sample, ...list } = search;
  if (total > 0) {
    return (
      <ItemGrid
        key={JSON.stringify(list)}
        rows={rows}
        total={total}
        search={search}
        columns={columns.shown}
        onOpen={onOpen}
      />
    );
  }
  if (isQueue(search)) {
    return (
      <EmptyState title="Nothing is left to review">
        <p>Every answer that the filter leaves is annotated.</p>
      </EmptyState>
    );
  }
  const isFiltered = isNarrowed(search);
  return (
    <EmptyState title={isFiltered ? "No item matches" : "Nothing has ended yet"}>
      <p>{isFiltered ? "Change the filter or the search." : "Items appear here as soon as they are done."}</p>
    </EmptyState>
  );
}
