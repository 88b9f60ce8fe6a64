import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { benchmarksQuery, leaderboardQuery } from "../api/queries";
import { type CostPoint, ParetoScatter } from "../charts/ParetoScatter";
import { buttonClass } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { inputClass } from "../ui/Field";
import { Notice } from "../ui/Notice";
import { PageHeader } from "../ui/Page";
import { Segments } from "../ui/Segments";
import styles from "./LeaderboardPage.module.css";
import { Ranking } from "./Ranking";
import type { LeaderboardSearch } from "./search";
import { Unranked } from "./Unranked";

const route = getRouteApi("/leaderboard");

export function LeaderboardPage() {
  const search = route.useSearch();
  const catalogue = useQuery(benchmarksQuery);
  const names = catalogue.data?.benchmarks.map(({ name }) => name) ?? [];
  const benchmark = search.benchmark ?? names[0] ?? "";
  const board = useQuery({ ...leaderboardQuery(benchmark), enabled: benchmark !== "" });
  return (
    <>
      <PageHeader
        title="Leaderboard"
        lead="The best run of each model. Only scores made under equal conditions share a table; models that the items cannot tell apart share a rank."
      />
      <Filters search={search} benchmark={benchmark} names={names} />
      {board.error ? <Notice>{board.error.message}</Notice> : null}
      {board.data ? <Board board={board.data} search={search} /> : null}
    </>
  );
}

interface FilterProps {
  search: LeaderboardSearch;
  benchmark: string;
  names: readonly string[];
}

function Filters({ search, benchmark, names }: FilterProps) {
  const navigate = route.useNavigate();
  const options = names.includes(benchmark) || benchmark === "" ? names : [benchmark, ...names];
  return (
    <search className={styles.filters}>
      <select
        className={inputClass}
        aria-label="Benchmark"
        value={benchmark}
        onChange={({ target }) =>
          void navigate({ search: (before) => ({ ...before, benchmark: target.value }) })
        }
      >
        {options.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <input
        type="search"
        className={inputClass}
        aria-label="Filter by model"
        placeholder="Filter by model"
        value={search.q ?? ""}
        onChange={({ target }) =>
          void navigate({
            search: ({ q: _q, ...before }) => (target.value ? { ...before, q: target.value } : before),
            replace: true,
          })
        }
      />
      <Segments
        label="View"
        value={search.view ?? "ranking"}
        options={[
          { value: "ranking", label: "Ranking" },
          { value: "cost", label: "Score against cost" },
        ]}
        onChange={(view) => void navigate({ search: (before) => ({ ...before, view }), replace: true })}
      />
    </search>
  );
}

function Board({ board, search }: { board: Schemas["Leaderboard"]; search: LeaderboardSearch }) {
  const part = (search.q ?? "").toLowerCase();
  const tables = board.tables
    .map((table) => ({
      ...table,
      rows: table.rows.filter(({ model }) => model.toLowerCase().includes(part)),
    }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <>
      {tables.length === 0 ? <Nothing benchmark={board.benchmark} isFiltered={part !== ""} /> : null}
      {search.view === "cost" ? (
        <Costs table={tables[0]} />
      ) : (
        tables.map((table, place) => <Ranking key={table.fingerprint} table={table} isFirst={place === 0} />)
      )}
      <Unranked evaluations={board.unranked} total={board.unranked_total} />
    </>
  );
}

function Costs({ table }: { table: Schemas["LeaderboardTable"] | undefined }) {
  const points = (table?.rows ?? []).flatMap(({ evaluation_id, model, cost_usd, score }): CostPoint[] =>
    cost_usd
      ? [{ id: evaluation_id, label: model, cost: cost_usd, score: score.value, interval: score.interval }]
      : [],
  );
  if (points.length > 0) return <ParetoScatter points={points} />;
  return (
    <EmptyState title="No cost is known">
      <p>The models of the first table answer behind endpoints that publish no price.</p>
    </EmptyState>
  );
}

function Nothing({ benchmark, isFiltered }: { benchmark: string; isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No model matches">Change the filter.</EmptyState>;
  return (
    <EmptyState title={`Nothing is ranked on ${benchmark} yet`}>
      <p>A run that ends with a score takes its place here.</p>
      <Link to="/runs/new" search={{ benchmark: [benchmark] }} className={buttonClass({ tone: "primary" })}>
        Run {benchmark}
      </Link>
    </EmptyState>
  );
}
