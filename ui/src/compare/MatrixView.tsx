import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import type { Schemas } from "../api/client";
import { compareItemsQuery } from "../api/queries";
import { ChartFrame } from "../charts/ChartFrame";
import { ItemMatrix, type MatrixRow } from "../charts/ItemMatrix";
import { count, percent } from "../format";
import styles from "./MatrixView.module.css";

type Side = Schemas["Side"];

const MOST_PAGES = 12;

/** Every item against every evaluation, the easiest item first: what is saturated, what nobody solves. */
export default function MatrixView({ sides }: { sides: readonly Side[] }) {
  const navigate = useNavigate();
  const pages = useInfiniteQuery(compareItemsQuery(sides, "all"));
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data } = pages;
  const loaded = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && loaded < MOST_PAGES) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, loaded]);

  const rows = useMemo(() => matrixRows(data?.pages ?? []), [data]);
  const total = data?.pages[0]?.items?.total ?? 0;
  if (rows.length === 0) return null;
  const names = sides.map(({ model }) => model);
  const solved = rows.filter(({ scores }) => scores.some((score) => (score ?? 0) > 0)).length;
  const byAll = rows.filter(({ scores }) => scores.every((score) => (score ?? 0) > 0)).length;
  return (
    <ChartFrame
      title="Items by evaluation"
      note={`${count(rows.length)} of ${count(total)} items, the most often solved first`}
      table={<Rates sides={sides} rows={rows} />}
    >
      <ItemMatrix
        rows={rows}
        columns={names}
        label={`${count(rows.length)} items against ${names.join(", ")}`}
        onOpen={({ id }, column) => {
          const side = sides[column];
          if (!side) return;
          void navigate({
            to: "/runs/$runId/items/$itemId",
            params: { runId: side.run_id, itemId: id },
            search: { benchmark: side.benchmark, model: side.model },
          });
        }}
      />
      <ul className={styles.facts}>
        <li>
          <strong>{percent(solved / rows.length)}</strong> solved by at least one
        </li>
        <li>
          <strong>{percent(byAll / rows.length)}</strong> solved by all
        </li>
        <li>
          <strong>{count(rows.length - solved)}</strong> solved by none
        </li>
      </ul>
    </ChartFrame>
  );
}

function matrixRows(pages: readonly Schemas["ComparisonResult"][]): MatrixRow[] {
  const rows = pages
    .flatMap(({ items }) => items?.items ?? [])
    .map(({ item_id, cells }) => {
      return { id: item_id, scores: cells.map((cell) => cell?.score ?? null) };
    });
  return rows.toSorted((a, b) => sumOf(b) - sumOf(a) || patternOf(b).localeCompare(patternOf(a)));
}

function sumOf({ scores }: MatrixRow): number {
  return scores.reduce<number>((total, score) => total + (score ?? 0), 0);
}

function patternOf({ scores }: MatrixRow): string {
  return scores.map((score) => score ?? 0).join(" ");
}

function Rates({ sides, rows }: { sides: readonly Side[]; rows: readonly MatrixRow[] }) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Evaluation</th>
          <th scope="col">Items with points</th>
          <th scope="col">Only this one</th>
        </tr>
      </thead>
      <tbody>
        {sides.map((side, place) => {
          const has = rows.filter(({ scores }) => (scores[place] ?? 0) > 0);
          const alone = has.filter(({ scores }) =>
            scores.every((score, at) => at === place || (score ?? 0) === 0),
          );
          return (
            <tr key={side.evaluation_id}>
              <th scope="row">{side.model}</th>
              <td>{count(has.length)}</td>
              <td>{count(alone.length)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
