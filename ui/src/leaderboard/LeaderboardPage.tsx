import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { benchmarksQuery, leaderboardQuery, runsQuery } from "../api/queries";
import { type CostPoint, ParetoScatter } from "../charts/ParetoScatter";
import { buttonClass } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import { Filters } from "./Filters";
import { HistoryView } from "./HistoryView";
import { Ranking } from "./Ranking";
import { type LeaderboardSearch, type Source, SOURCES } from "./search";
import { Unranked } from "./Unranked";

const route = getRouteApi("/leaderboard");

type Table = Schemas["LeaderboardTable"];

export function LeaderboardPage() {
  const search = route.useSearch();
  const catalogue = useQuery(benchmarksQuery);
  const lately = useQuery(runsQuery({ limit: 100 }));
  const cards = (catalogue.data?.benchmarks ?? []).filter(({ needs_setup }) => !needs_setup);
  const tried = new Set(lately.data?.runs.flatMap((run) => run.selected_benchmarks));
  const ended = lately.data?.runs.find(({ status }) => status === "succeeded");
  const usual = lately.data ? (ended?.selected_benchmarks[0] ?? cards[0]?.name) : undefined;
  const benchmark = search.benchmark ?? usual ?? "";
  const board = useQuery({ ...leaderboardQuery(benchmark), enabled: benchmark !== "" });
  const sources = SOURCES.filter((one) => board.data?.tables.some(({ data }) => sourceOf(data) === one));
  const source = search.data ?? sources[0] ?? "official";
  return (
    <>
      <PageHeader
        title="Leaderboard"
        lead="The best run of each model. Only scores made under equal conditions share a table; a model’s rank is 1 plus the number of models shown to be better."
      />
      <Filters {...{ search, benchmark, cards, tried, sources, source }} />
      {board.error ? <Notice>{board.error.message}</Notice> : null}
      {search.view === "history" && benchmark ? (
        <HistoryView benchmark={benchmark} search={search} source={source} />
      ) : null}
      {board.data && search.view !== "history" ? (
        <Board board={board.data} search={search} source={source} />
      ) : null}
    </>
  );
}

/** Demo items are never shown beside scores of real data. */
function sourceOf(data: string): Source {
  return data === "demo" ? "demo" : "official";
}

function withModels(table: Table, part: string): Table {
  return { ...table, rows: table.rows.filter(({ model }) => model.toLowerCase().includes(part)) };
}

interface BoardProps {
  board: Schemas["Leaderboard"];
  search: LeaderboardSearch;
  source: Source;
}

function Board({ board, search, source }: BoardProps) {
  const part = (search.q ?? "").toLowerCase();
  const [first, ...others] = board.tables
    .filter(({ data }) => sourceOf(data) === source)
    .map((table) => withModels(table, part))
    .filter(({ rows }) => rows.length > 0);
  return (
    <>
      {first ? null : <Nothing benchmark={board.benchmark} isFiltered={part !== ""} />}
      {search.view === "cost" ? <Costs table={first} /> : null}
      {first && search.view !== "cost" ? <Ranking table={first} /> : null}
      {others.length > 0 && search.view !== "cost" ? (
        <Section
          title="Not comparable with these"
          note="scores made under other conditions; each table says which"
        >
          {others.map((table) => (
            <Ranking key={table.fingerprint} table={table} apartFrom={first} />
          ))}
        </Section>
      ) : null}
      <Unranked evaluations={board.unranked} total={board.unranked_total} />
    </>
  );
}

function Costs({ table }: { table: Table | undefined }) {
  const points = (table?.rows ?? []).flatMap(({ evaluation_id, model, cost_usd, score }): CostPoint[] =>
    cost_usd
      ? [{ id: evaluation_id, label: model, cost: cost_usd, score: score.value, interval: score.interval }]
      : [],
  );
  if (points.length > 0) return <ParetoScatter points={points} />;
  return (
    <EmptyState title="No known costs">
      <p>The endpoints of these models publish no price, so their cost is unknown.</p>
    </EmptyState>
  );
}

function Nothing({ benchmark, isFiltered }: { benchmark: string; isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No matches">Change the filter.</EmptyState>;
  return (
    <EmptyState title={`No ranked scores on ${benchmark} yet`}>
      <p>Finished runs with a score appear here, with interval, cost and duration.</p>
      <Link to="/runs/new" search={{ benchmark: [benchmark] }} className={buttonClass({ tone: "primary" })}>
        Run {benchmark}
      </Link>
    </EmptyState>
  );
}
