/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- narrow screens lay the table out as lists, which takes away the roles that are not said */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { codeResultsQuery, type CodeResults, languageName } from "../api/code";
import { count, percent } from "../format";
import { EmptyState } from "../ui/EmptyState";
import { Icon, type IconName } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { chipClass } from "../ui/OutcomeChip";
import styles from "./TasksTab.module.css";
import {
  type ChipStatus,
  type CodeColumn,
  groupsOf,
  optionsOf,
  passRate,
  statusWord,
  tallyOf,
  tallyText,
  type Tally,
  type TaskRow,
} from "./taskTable";

const route = getRouteApi("/runs/$runId");
/** With more samples, their chips are glyphs without a word. */
const NAMED_SAMPLES = 1;

/** The tasks of the code catalogue, and what each model made of them. */
export function TasksTab() {
  const { runId } = route.useParams();
  const { data, error } = useQuery(codeResultsQuery(runId));
  if (error) return <EmptyState title="This run has no code tasks">{error.message}</EmptyState>;
  if (!data) return null;
  const missing = data.columns.reduce((sum, _, place) => sum + tallyOf(data.tasks, place).api_error, 0);
  return (
    <>
      {missing > 0 ? (
        <Notice tone="gold">
          {count(missing)} {missing === 1 ? "attempt has" : "attempts have"} no verdict, because no reply came
          or it could not be tested. They count in no rate; “Retry errors” above makes them again once the run
          has ended.
        </Notice>
      ) : null}
      <Table results={data} />
    </>
  );
}

function Table({ results: { run_id: runId, columns, tasks } }: { results: CodeResults }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
    <div className={styles.box} role="group" aria-label="Tasks and models" tabIndex={0}>
      <table className={styles.table} role="table">
        <caption className="visually-hidden">How each attempt ended, by task and model</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              Task
            </th>
            {columns.map((column) => (
              <th key={keyOf(column)} scope="col" role="columnheader">
                <ModelName model={column.model} />
                {optionsOf(column) ? <small>{optionsOf(column)}</small> : null}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          <Sums name="All tasks" tasks={tasks} columns={columns} />
        </tbody>
        {groupsOf(tasks).map(({ language = "", tasks: own }) => (
          <tbody key={language} role="rowgroup">
            <Sums name={languageName(language) || "Other"} tasks={own} columns={columns} />
            {own.map((task) => (
              <Line key={task.id} runId={runId} task={task} columns={columns} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

interface SumsProps {
  name: string;
  tasks: readonly TaskRow[];
  columns: readonly CodeColumn[];
}

function Sums({ name, tasks, columns }: SumsProps) {
  return (
    <tr className={styles.sums} role="row">
      <th scope="row" role="rowheader">
        {name} <span>{count(tasks.length)}</span>
      </th>
      {columns.map((column, place) => (
        <td key={keyOf(column)} role="cell" data-label={labelOf(column)}>
          <Rate tally={tallyOf(tasks, place)} />
        </td>
      ))}
    </tr>
  );
}

function Rate({ tally }: { tally: Tally }) {
  const rate = passRate(tally);
  return (
    <span>
      <strong>{rate === undefined ? "—" : percent(rate)}</strong> <small>{tallyText(tally)}</small>
    </span>
  );
}

interface LineProps {
  runId: string;
  task: TaskRow;
  columns: readonly CodeColumn[];
}

function Line({ runId, task, columns }: LineProps) {
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        {task.title ?? task.id}
        {task.title ? <code>{task.id}</code> : null}
      </th>
      {columns.map((column, place) => {
        const statuses = task.statuses[place] ?? [];
        return (
          <td key={keyOf(column)} role="cell" data-label={labelOf(column)}>
            <span className={styles.chips}>
              {statuses.map((status, sample) => (
                <Chip
                  // oxlint-disable-next-line react/no-array-index-key -- the place is the number of the sample
                  key={sample}
                  status={status ?? "waiting"}
                  at={{ runId, itemId: task.id, column, sample }}
                  isBare={statuses.length > NAMED_SAMPLES}
                />
              ))}
            </span>
          </td>
        );
      })}
    </tr>
  );
}

const LOOKS: Record<ChipStatus, { icon: IconName; outcome: string }> = {
  passed: { icon: "check", outcome: "correct" },
  failed: { icon: "cross", outcome: "incorrect" },
  error: { icon: "question", outcome: "unparsed" },
  api_error: { icon: "alert", outcome: "missing" },
  waiting: { icon: "clock", outcome: "missing" },
};

interface ChipProps {
  status: ChipStatus;
  at: { runId: string; itemId: string; column: CodeColumn; sample: number };
  isBare: boolean;
}

/** One attempt; a link to it once it has ended. */
function Chip({ status, at: { runId, itemId, column, sample }, isBare }: ChipProps) {
  const { icon, outcome } = LOOKS[status];
  const word = isBare ? `sample ${sample + 1}: ${statusWord(status)}` : statusWord(status);
  const shown = (
    <>
      <Icon name={icon} size={12} />
      <span className={isBare ? "visually-hidden" : undefined}>{word}</span>
    </>
  );
  const look = {
    className: chipClass,
    "data-outcome": outcome,
    "data-bare": isBare,
    title: isBare ? word : undefined,
  };
  if (status === "waiting") return <span {...look}>{shown}</span>;
  return (
    <Link
      {...look}
      to="/runs/$runId/items/$itemId"
      params={{ runId, itemId }}
      search={{ benchmark: column.benchmark, model: column.model, ...(sample > 0 ? { sample } : {}) }}
    >
      {shown}
    </Link>
  );
}

function keyOf({ model, benchmark }: CodeColumn): string {
  return `${model} ${benchmark}`;
}

function labelOf(column: CodeColumn): string {
  return [column.model, optionsOf(column)].filter(Boolean).join(", ");
}
