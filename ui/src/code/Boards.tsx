import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { BASE_LEVEL, type CodeBoard, codeBoardsQuery, type CodeRow } from "../api/code";
import { count, duration, percent, percentNumber, short, usd } from "../format";
import { Button, buttonClass } from "../ui/Button";
import { type Column, DataTable } from "../ui/DataTable";
import { EmptyState } from "../ui/EmptyState";
import { inputClass } from "../ui/Field";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { Section } from "../ui/Page";
import { SearchField } from "../ui/SearchField";
import { conditionsOf } from "./board";
import styles from "./Boards.module.css";
import { RemovalDialog } from "./RemovalDialog";

const route = getRouteApi("/code");

/** The best run of each model and thinking level, among runs that are equal in everything else. */
export function Boards() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(codeBoardsQuery);
  if (error) return <Notice>{error.message}</Notice>;
  if (!data) return null;
  const shown = data.boards.find(({ key }) => key === (search.board ?? data.board)) ?? data.boards[0];
  if (!shown) return <Nothing />;
  return (
    <>
      <search className={styles.filters}>
        {data.boards.length > 1 ? (
          <select
            className={inputClass}
            aria-label="Board"
            value={shown.key}
            onChange={({ target }) =>
              void navigate({ search: (before) => ({ ...before, board: target.value }) })
            }
          >
            {data.boards.map((one) => (
              <option key={one.key} value={one.key}>
                {conditionsOf(one)} ({runsOf(one.runs)})
              </option>
            ))}
          </select>
        ) : null}
        <SearchField
          label="Filter by model"
          value={search.q ?? ""}
          onChange={(q) =>
            void navigate({
              search: ({ q: _q, ...before }) => (q ? { ...before, q } : before),
              replace: true,
            })
          }
        />
      </search>
      <Board board={shown} part={(search.q ?? "").toLowerCase()} />
    </>
  );
}

function Nothing() {
  return (
    <EmptyState title="No run of code tasks yet">
      <p>The best finished run of each model appears here, with its cost and duration.</p>
      <Link
        from="/code"
        to="/code"
        search={(before) => ({ ...before, view: "run" })}
        className={buttonClass({ tone: "primary" })}
      >
        Run tasks
      </Link>
    </EmptyState>
  );
}

function Board({ board, part }: { board: CodeBoard; part: string }) {
  const rows = board.models.filter(({ model_id }) => model_id.toLowerCase().includes(part));
  return (
    <>
      <p className={styles.compared}>
        {runsOf(board.runs)} under equal conditions: {conditionsOf(board)}. Runs that differ in anything but
        model and thinking level are on a board of their own.
      </p>
      {rows.length > 0 ? (
        <DataTable
          caption="Best run of each model"
          columns={columnsOf(board)}
          rows={rows}
          keyOf={({ model_id, thinking_level }) => `${model_id} ${thinking_level}`}
        />
      ) : (
        <EmptyState title={board.models.length > 0 ? "No model matches" : "Nothing is ranked here yet"}>
          <p>{board.models.length > 0 ? "Change the filter." : "Below it says why."}</p>
        </EmptyState>
      )}
      <Parts rows={rows} />
      <Unranked board={board} />
    </>
  );
}

const NAME: Column<CodeRow> = {
  name: "Model",
  isHeading: true,
  cell: ({ model_id }) => <ModelName model={model_id} />,
};
const LEVEL: Column<CodeRow> = {
  name: "Thinking",
  isSoft: true,
  cell: ({ thinking_level }) => (thinking_level === BASE_LEVEL ? "as it is" : thinking_level),
};
const COLUMNS: readonly Column<CodeRow>[] = [
  NAME,
  LEVEL,
  {
    name: "Passed",
    isNumber: true,
    cell: ({ best_accuracy, attempts, figures }) => (
      <span className={styles.score}>
        <strong>{percent(best_accuracy)}</strong>
        <small>
          {count(Math.round(best_accuracy * attempts))} of {count(attempts)}
          {rangeOf(figures.accuracy)}
        </small>
      </span>
    ),
  },
  {
    name: "API errors",
    isNumber: true,
    isSoft: true,
    cell: ({ api_errors }) => (api_errors === 0 ? "none" : count(api_errors)),
  },
  { name: "Cost", isNumber: true, isSoft: true, cell: ({ cost_at_best }) => usd(cost_at_best) },
  {
    name: "Duration",
    isNumber: true,
    isSoft: true,
    cell: ({ duration_at_best: seconds }) => (seconds === null ? "—" : duration(seconds * 1000)),
  },
  { name: "Runs", isNumber: true, isSoft: true, cell: ({ runs }) => count(runs) },
  {
    name: "Best run",
    isNumber: true,
    cell: ({ best_run_id: runId }) => (
      <Link to="/runs/$runId/tasks" params={{ runId }} className={styles.link}>
        {short(runId)}
      </Link>
    ),
  },
];

/** pass@k, and accuracy by language, type and difficulty, as far as a row has them. */
function Parts({ rows }: { rows: readonly CodeRow[] }) {
  const names = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))].filter(
    (name) => name !== "accuracy",
  );
  if (names.length === 0) return null;
  return (
    <Section
      title="pass@k, and by language, type and difficulty"
      note="of each model’s best run, with 95 % intervals"
    >
      <DataTable
        caption="Results by language, type and difficulty"
        columns={[NAME, LEVEL, ...names.map(partColumn)]}
        rows={rows}
        keyOf={({ model_id, thinking_level }) => `${model_id} ${thinking_level}`}
      />
    </Section>
  );
}

function partColumn(name: string): Column<CodeRow> {
  return {
    name: partName(name),
    isNumber: true,
    cell: ({ figures }) => <Figure figure={figures[name]} />,
  };
}

function Figure({ figure }: { figure: CodeRow["figures"][string] | undefined }) {
  if (!figure) return "—";
  return (
    <span className={styles.score}>
      <strong>{percent(figure.value)}</strong>
      <small>{rangeOf(figure)}</small>
    </span>
  );
}

function columnsOf(board: CodeBoard): Column<CodeRow>[] {
  return [...COLUMNS, { name: "Delete", isNumber: true, cell: (row) => <Removal board={board} row={row} /> }];
}

function Removal({ board, row }: { board: CodeBoard; row: CodeRow }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        tone="quiet"
        isSmall
        icon="cross"
        aria-label={`Delete ${row.model_id} at ${row.thinking_level}`}
        title="Delete the runs behind this row"
        onClick={() => setIsAsking(true)}
      />
      {isAsking ? <RemovalDialog board={board} row={row} onClose={() => setIsAsking(false)} /> : null}
    </>
  );
}

function Unranked({ board }: { board: CodeBoard }) {
  if (board.unranked.length === 0) return null;
  return (
    <Section title="Not ranked" note={count(board.unranked.length)}>
      <DataTable
        caption="Evaluations that are not ranked"
        columns={UNRANKED}
        rows={board.unranked}
        keyOf={({ run_id, model, level }) => `${run_id} ${model} ${level}`}
      />
    </Section>
  );
}

const UNRANKED: readonly Column<CodeBoard["unranked"][number]>[] = [
  { name: "Model", isHeading: true, cell: ({ model }) => <ModelName model={model} /> },
  { name: "Thinking", isSoft: true, cell: ({ level }) => (level === BASE_LEVEL ? "as it is" : level) },
  { name: "Why it is not ranked", isSoft: true, cell: ({ reason }) => reason },
  {
    name: "Run",
    cell: ({ run_id: runId }) => (
      <Link to="/runs/$runId/tasks" params={{ runId }} className={styles.link}>
        {short(runId)}
      </Link>
    ),
  },
];

function rangeOf(figure: CodeRow["figures"][string] | undefined): string {
  if (!figure || figure.low === null || figure.high === null) return "";
  return ` [${percentNumber(figure.low)}, ${percentNumber(figure.high)}]`;
}

function partName(name: string): string {
  return (name.split(":")[1] ?? name).replaceAll("_", " ");
}

function runsOf(runs: number): string {
  return `${count(runs)} ${runs === 1 ? "run" : "runs"}`;
}
