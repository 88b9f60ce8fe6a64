import type { Run, RunOutlook } from "../api/client";
import { Icon } from "../ui/Icon";
import { RunRow } from "./list/RunRow";
import { directionOf, type Figure, nextSort, type Sort } from "./order";
import styles from "./RunsTable.module.css";

interface Props {
  runs: readonly Run[];
  outlooks: ReadonlyMap<string, RunOutlook>;
  picked: readonly string[];
  onPick: (runId: string) => void;
  onPickAll: (runIds: string[]) => void;
  sort: Sort | undefined;
  onSort: (sort: Sort | undefined) => void;
}

export function RunsTable({ runs, outlooks, picked, onPick, onPickAll, sort, onSort }: Props) {
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
  const chosen = new Set(picked);
  const isAll = runs.every(({ id }) => chosen.has(id));
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className="visually-hidden">Runs, live ones first, one row per run</caption>
        <thead>
          <tr>
            <th scope="col" className={styles.status}>
              <label className={styles.pick}>
                <input
                  type="checkbox"
                  checked={isAll}
                  onChange={() => onPickAll(isAll ? [] : runs.map(({ id }) => id))}
                  aria-label="Select all runs on this page"
                />
                Status
              </label>
            </th>
            <th scope="col" className={styles.model}>
              Model
            </th>
            <th scope="col" className={styles.benchmark}>
              Benchmark
            </th>
            <th scope="col" className={styles.score} {...sorted("Score, 95 % interval", "score")} />
            <th scope="col" className={styles.cost} {...sorted("Cost", "cost")} />
            <th scope="col" className={styles.duration} {...sorted("Duration", "duration")} />
            <th scope="col" className={styles.started} {...sorted("Started", "created")} />
          </tr>
        </thead>
        {runs.map((run) => (
          <RunRow
            key={run.id}
            run={run}
            outlook={outlooks.get(run.id)}
            isPicked={chosen.has(run.id)}
            onPick={onPick}
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
