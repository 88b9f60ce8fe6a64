import { getRouteApi } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useEffect, useRef } from "react";
import { Icon } from "../ui/Icon";
import { useShortcut } from "../ui/shortcuts";
import type { ItemColumn } from "./columns";
import styles from "./ItemGrid.module.css";
import type { ItemRows } from "./rows";
import { type ItemsSearch, narrowed, type Sort } from "./search";

const route = getRouteApi("/runs/$runId/items");
const ROW_PX = 36;
const OVERSCAN = 8;
const MARGIN_PX = 12;

interface Props {
  rows: ItemRows;
  total: number;
  search: ItemsSearch;
  columns: readonly ItemColumn[];
  onOpen: (at: number) => void;
}

/** A list of any length: only the rows in sight are in the page, and only their data is loaded. */
export function ItemGrid({ rows, total, search, columns, onOpen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoised by the compiler
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  const inSight = virtual.getVirtualItems();
  const [first, last] = [inSight[0]?.index ?? 0, inSight.at(-1)?.index ?? 0];
  useEffect(() => {
    rows.show(first, last);
  }, [rows, first, last]);
  const isOpen = search.item !== undefined;
  const at = search.at ?? (isOpen ? rows.placeOf(search.item ?? "", search.sample ?? 0) : undefined);
  useItemKeys({ at, isOpen, total, first, onOpen });

  useEffect(() => {
    if (box.current && at !== undefined && at < total) bringIntoView(box.current, at);
  }, [at, total]);

  const template: CSSProperties = {
    "--columns": columns.map(({ width }) => width).join(" "),
    "--columns-narrow": columns
      .filter(({ isWide }) => !isWide)
      .map(({ width }) => width)
      .join(" "),
  };
  return (
    <div className={styles.frame} style={template}>
      <div
        ref={box}
        className={styles.grid}
        role="grid"
        aria-label="Items"
        aria-rowcount={total + 1}
        aria-colcount={columns.length}
        aria-busy={rows.isLoading}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a grid takes the focus and scrolls
        tabIndex={0}
      >
        <Head columns={columns} sort={search.sort ?? "item"} />
        <div role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {inSight.map(({ index, start }) => (
            <Row
              key={index}
              index={index}
              top={start}
              row={rows.at(index)}
              columns={columns}
              isOpen={isOpen && at === index}
              onOpen={onOpen}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Scrolls the list, below its head that stays, and then the page, as far as is needed. */
function bringIntoView(box: HTMLElement, at: number) {
  const head = box.querySelector<HTMLElement>("[role=rowgroup]")?.offsetHeight ?? 0;
  const top = at * ROW_PX;
  const lowest = top + ROW_PX + head - box.clientHeight;
  box.scrollTop = Math.min(top, Math.max(lowest, box.scrollTop));
  const place = box.getBoundingClientRect().top + head + top - box.scrollTop;
  if (place < MARGIN_PX) scrollBy(0, place - MARGIN_PX);
  else scrollBy(0, Math.max(0, place + ROW_PX + MARGIN_PX - innerHeight));
}

function Head({ columns, sort }: { columns: readonly ItemColumn[]; sort: Sort }) {
  const navigate = route.useNavigate();
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.row}>
        {columns.map(({ name, sorts, isNumber, isWide }) => {
          const isOn = sorts?.includes(sort) ?? false;
          return (
            <div
              key={name}
              role="columnheader"
              data-number={isNumber}
              data-wide={isWide}
              aria-sort={isOn ? (sort.startsWith("-") ? "descending" : "ascending") : undefined}
            >
              {sorts ? (
                <button
                  type="button"
                  onClick={() => {
                    const next = sort === sorts[0] ? sorts[1] : sorts[0];
                    void navigate({ search: (before) => narrowed(before, { sort: next }), replace: true });
                  }}
                >
                  {name}
                  {isOn ? <Icon name={sort.startsWith("-") ? "down" : "up"} size={12} /> : null}
                </button>
              ) : (
                name
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  index: number;
  top: number;
  row: ReturnType<ItemRows["at"]>;
  columns: readonly ItemColumn[];
  isOpen: boolean;
  onOpen: (at: number) => void;
}

function Row({ index, top, row, columns, isOpen, onOpen }: RowProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- j, k and Enter do the same for the whole grid
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      tabIndex={-1}
      className={styles.row}
      style={{ height: ROW_PX, transform: `translateY(${top}px)` }}
      onClick={() => row && onOpen(index)}
    >
      {columns.map(({ name, cell, isNumber, isCode, isWide }) => (
        <div key={name} role="gridcell" data-number={isNumber} data-code={isCode} data-wide={isWide}>
          {row ? cell(row) : <span className={styles.pending} />}
        </div>
      ))}
    </div>
  );
}

interface KeysProps {
  at: number | undefined;
  isOpen: boolean;
  total: number;
  first: number;
  onOpen: (at: number) => void;
}

function useItemKeys({ at, isOpen, total, first, onOpen }: KeysProps) {
  const step = (by: 1 | -1) => {
    const next = isOpen && at !== undefined ? at + by : first;
    if (next >= 0 && next < total) onOpen(next);
  };
  useShortcut("j", () => step(1));
  useShortcut("k", () => step(-1));
}
