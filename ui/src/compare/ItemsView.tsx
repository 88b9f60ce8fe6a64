import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Fragment } from "react";
import type { Schemas } from "../api/client";
import { compareItemsQuery, type ItemChoice } from "../api/queries";
import { count, percent } from "../format";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { OutcomeChip } from "../ui/OutcomeChip";
import { Segments } from "../ui/Segments";
import { Answers } from "./Answers";
import styles from "./ItemsView.module.css";
import type { CompareSearch } from "./search";

const route = getRouteApi("/compare");

type Side = Schemas["Side"];
type Row = Schemas["ItemRow"];

const CHOICES: readonly { value: ItemChoice; label: string }[] = [
  { value: "disagree", label: "Disagree" },
  { value: "only_first", label: "Only the first right" },
  { value: "all_wrong", label: "All wrong" },
  { value: "all", label: "All" },
];

interface Props {
  search: CompareSearch;
  sides: readonly Side[];
}

/** Who scored on which item; a row opens to the answers side by side. */
export default function ItemsView({ search, sides }: Props) {
  const navigate = route.useNavigate();
  const choice = search.items ?? "disagree";
  const pages = useInfiniteQuery(compareItemsQuery(sides, choice));
  const rows = pages.data?.pages.flatMap(({ items }) => items?.items ?? []) ?? [];
  const total = pages.data?.pages[0]?.items?.total;
  const toggle = (id: string) =>
    void navigate({
      search: ({ item, ...before }) => (item === id ? before : { ...before, item: id }),
      replace: true,
      resetScroll: false,
    });

  return (
    <>
      <div className={styles.bar}>
        <Segments
          label="Which items"
          value={choice}
          options={CHOICES}
          onChange={(items) =>
            void navigate({ search: ({ item: _item, ...before }) => ({ ...before, items }), replace: true })
          }
        />
        <p role="status">{total === undefined ? "" : `${count(total)} ${total === 1 ? "item" : "items"}`}</p>
      </div>
      {pages.isPending ? <p>Loading items …</p> : null}
      {total === 0 ? (
        <EmptyState title="No matches">
          <p>No item that all of them were asked fits this choice.</p>
        </EmptyState>
      ) : null}
      {rows.length > 0 ? <Table rows={rows} sides={sides} open={search.item} onToggle={toggle} /> : null}
      {pages.hasNextPage ? (
        <Button isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </>
  );
}

interface TableProps {
  rows: readonly Row[];
  sides: readonly Side[];
  open: string | undefined;
  onToggle: (itemId: string) => void;
}

function Table({ rows, sides, open, onToggle }: TableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
    <div className={styles.box} role="region" aria-label="Items compared" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Expected</th>
            {sides.map((side) => (
              <th key={side.evaluation_id} scope="col">
                <ModelName model={side.model} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Fragment key={row.item_id}>
              <tr data-open={row.item_id === open}>
                <th scope="row">
                  <button
                    type="button"
                    className={styles.toggle}
                    aria-expanded={row.item_id === open}
                    onClick={() => onToggle(row.item_id)}
                  >
                    <Icon name={row.item_id === open ? "down" : "forward"} size={12} />
                    <span>{row.item_id}</span>
                  </button>
                </th>
                <td>
                  <span className={styles.answer}>{row.expected ?? "—"}</span>
                </td>
                {sides.map((side, place) => (
                  <td key={side.evaluation_id}>
                    <Cell cell={row.cells[place] ?? null} />
                  </td>
                ))}
              </tr>
              {row.item_id === open ? (
                <tr>
                  <td colSpan={sides.length + 2} className={styles.opened}>
                    <Answers sides={sides} itemId={row.item_id} />
                  </td>
                </tr>
              ) : null}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell }: { cell: Row["cells"][number] | null }) {
  if (!cell) return <span className={styles.none}>not asked</span>;
  const [first] = cell.outcomes;
  const isPartial = cell.score !== null && cell.score > 0 && cell.score < 1;
  return (
    <span className={styles.cell}>
      {first ? <OutcomeChip outcome={first} isBare /> : null}
      {isPartial && cell.score !== null ? <strong>{percent(cell.score)}</strong> : null}
      <span className={styles.answer}>{cell.extracted ?? ""}</span>
    </span>
  );
}
