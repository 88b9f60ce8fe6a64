import { Link, useNavigate } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import type { Evaluation, Run, RunOutlook } from "../api/client";
import { isLive } from "../api/queries";
import { count, short } from "../format";
import { DataBadge } from "../ui/Badge";
import { Breakable } from "../ui/Breakable";
import { RunCost } from "../ui/Cost";
import { ModelName } from "../ui/ModelName";
import { StatusMark } from "../ui/StatusMark";
import { Age, Elapsed } from "../ui/Time";
import { Icon } from "../ui/Icon";
import { Outlook, outlookParts } from "./Outlook";
import { byBenchmark, directionOf, type Figure, nextSort, type Sort } from "./order";
import styles from "./RunsTable.module.css";
import { Score } from "./Score";

/** Lines a run may take in the list; a run with more evaluations says how many are left out. */
const MAX_LINES = 6;

interface Props {
  runs: readonly Run[];
  outlooks: ReadonlyMap<string, RunOutlook>;
  picked: readonly string[];
  onPick: (runId: string) => void;
  sort: Sort | undefined;
  onSort: (sort: Sort | undefined) => void;
}

export function RunsTable({ runs, outlooks, picked, onPick, sort, onSort }: Props) {
  const sorted = (name: string, figure: Figure) => ({
    "aria-sort": directionOf(sort, figure),
    children: (
      <SortButton
        name={name}
        direction={directionOf(sort, figure)}
        onClick={() => onSort(nextSort(sort, figure))}
      />
    ),
  });
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className="visually-hidden">Runs, live ones first, one line per evaluation</caption>
        <thead>
          <tr>
            <th scope="col" className={styles.status}>
              Status
            </th>
            <th scope="col" className={styles.model}>
              Model
            </th>
            <th scope="col" className={styles.benchmark}>
              Benchmark
            </th>
            <th scope="col" className={styles.score} {...sorted("Score, 95 % interval", "score")} />
            <th scope="col" className={styles.scored}>
              Scored
            </th>
            <th scope="col" className={styles.cost} {...sorted("Cost", "cost")} />
            <th scope="col" className={styles.duration} {...sorted("Duration", "duration")} />
            <th scope="col" className={styles.started} {...sorted("Started", "created")} />
          </tr>
        </thead>
        {runs.map((run) => (
          <RunRows
            key={run.id}
            run={run}
            outlook={outlooks.get(run.id)}
            isPicked={picked.includes(run.id)}
            onPick={() => onPick(run.id)}
          />
        ))}
      </table>
    </div>
  );
}

interface SortProps {
  name: string;
  direction: "ascending" | "descending" | undefined;
  onClick: () => void;
}

function SortButton({ name, direction, onClick }: SortProps) {
  return (
    <button type="button" className={styles.sort} onClick={onClick} title="Sort all runs by this">
      {name}
      <Icon name={direction === "ascending" ? "up" : "down"} size={12} />
    </button>
  );
}

interface RunProps {
  run: Run;
  outlook: RunOutlook | undefined;
  isPicked: boolean;
  onPick: () => void;
}

function RunRows(props: RunProps) {
  const { run } = props;
  const navigate = useNavigate();
  const evaluations = byBenchmark(run, run.evaluations);
  const shown = evaluations.length > MAX_LINES ? evaluations.slice(0, MAX_LINES - 1) : evaluations;
  const leftOut = evaluations.length - shown.length;
  const hasOutlook = props.outlook !== undefined && outlookParts(props.outlook).length > 0;
  const lines = shown.length + (leftOut > 0 ? 1 : 0) + (hasOutlook ? 1 : 0);

  /** A convenience for the mouse; the link in the first cell is the way for everyone. */
  function open(event: MouseEvent<HTMLTableSectionElement>) {
    const onLink = event.target instanceof Element && event.target.closest("a, label, input, button");
    if (!onLink && !getSelection()?.toString()) navigate({ to: "/runs/$runId", params: { runId: run.id } });
  }

  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- see `open`
    <tbody
      className={styles.run}
      data-live={isLive(run.status)}
      data-picked={props.isPicked}
      data-run={run.id}
      onClick={open}
    >
      {shown.map((evaluation, line) => (
        <tr key={evaluation.id}>
          {line === 0 ? <RunCell {...props} lines={lines} /> : null}
          <EvaluationCells
            evaluation={evaluation}
            line={line}
            isErrorAbove={shown.slice(0, line).some(({ error }) => error === evaluation.error)}
          />
          {line === 0 ? <FigureCells run={run} lines={lines} /> : null}
        </tr>
      ))}
      {leftOut > 0 ? (
        <tr>
          <td colSpan={4} className={styles.more} style={{ order: shown.length + 1 }}>
            and {leftOut} more evaluations
          </td>
        </tr>
      ) : null}
      {hasOutlook && props.outlook ? (
        <tr>
          <td colSpan={4} className={styles.outlook} style={{ order: shown.length + 2 }}>
            <Outlook outlook={props.outlook} />
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

function RunCell({ run, isPicked, onPick, lines }: RunProps & { lines: number }) {
  const failed = run.evaluations.filter((one) => one.status === "failed").length;
  return (
    <th scope="rowgroup" rowSpan={lines} className={styles.status}>
      <label className={styles.pick}>
        <input
          type="checkbox"
          checked={isPicked}
          onChange={onPick}
          aria-label={`Select run ${short(run.id)}`}
        />
        <StatusMark state={run.status} isInterrupted={run.is_interrupted} />
      </label>
      <span className={styles.tags}>
        <Link
          to="/runs/$runId"
          params={{ runId: run.id }}
          className={styles.id}
          aria-label={`Open run ${short(run.id)}`}
        >
          {short(run.id)}
        </Link>
        <DataBadge source={run.data} />
        {run.name ? <span>{run.name}</span> : null}
      </span>
      {failed > 0 && run.evaluations.length > 1 ? (
        <span className={styles.failed}>
          {failed} of {run.evaluations.length} failed
        </span>
      ) : null}
    </th>
  );
}

interface EvaluationProps {
  evaluation: Evaluation;
  line: number;
  /** Whether a line above says the same error. */
  isErrorAbove: boolean;
}

function EvaluationCells({ evaluation, line, isErrorAbove }: EvaluationProps) {
  // On a narrow screen the cells of a run are stacked.
  const order = { order: line + 1 };
  return (
    <>
      <td className={styles.model} style={order}>
        <ModelName model={evaluation.model} />
      </td>
      <td className={styles.benchmark} style={order}>
        <Breakable>{evaluation.benchmark}</Breakable>
      </td>
      <td className={styles.score} style={order}>
        <Score evaluation={evaluation} />
        {evaluation.error && !isErrorAbove ? (
          <p className={styles.error} title={evaluation.error}>
            {evaluation.error}
          </p>
        ) : null}
      </td>
      <td className={styles.scored} style={order}>
        {evaluation.score ? `${count(evaluation.scored)} / ${count(evaluation.total)}` : null}
      </td>
    </>
  );
}

function FigureCells({ run, lines }: { run: Run; lines: number }) {
  return (
    <>
      <td rowSpan={lines} className={styles.cost} data-unknown={run.cost_usd === null}>
        <RunCost run={run} />
      </td>
      <td rowSpan={lines} className={styles.duration}>
        <Elapsed from={run.started_at} to={run.completed_at ?? run.stopped_at} />
      </td>
      <td rowSpan={lines} className={styles.started}>
        <Age of={run.created_at} />
      </td>
    </>
  );
}
