import { type ReactNode, useState } from "react";
import type { EvaluationDetail, ItemResult } from "../api/client";
import { count, milliseconds, percent, usd } from "../format";
import { OutcomeChip } from "../ui/OutcomeChip";
import type { Sort } from "./search";

export interface ItemColumn {
  name: string;
  cell: (row: ItemResult) => ReactNode;
  width: string;
  isNumber?: boolean;
  isCode?: boolean;
  /** Left out where there is little room. */
  isWide?: boolean;
  /** Sorted by the server, first in one direction, then in the other. */
  sorts?: readonly [Sort, Sort];
  isHidden?: boolean;
}

const COLUMNS: readonly ItemColumn[] = [
  { name: "Outcome", width: "7.6rem", cell: ({ outcome }) => <OutcomeChip outcome={outcome} /> },
  {
    name: "Item",
    width: "minmax(2.6rem, 1fr)",
    isCode: true,
    sorts: ["item", "item"],
    cell: ({ item_id }) => item_id,
  },
  { name: "Sample", width: "4.5rem", isNumber: true, cell: ({ sample }) => sample + 1 },
  { name: "Answer", width: "minmax(2.2rem, 1.4fr)", isCode: true, cell: ({ extracted }) => plain(extracted) },
  {
    name: "Expected",
    width: "minmax(5rem, 1.4fr)",
    isCode: true,
    isWide: true,
    cell: ({ expected }) => plain(expected),
  },
  {
    name: "Reply",
    width: "minmax(8rem, 2.6fr)",
    isWide: true,
    cell: ({ response, error }) => plain(error ?? response),
  },
  {
    name: "Score",
    width: "4.5rem",
    isNumber: true,
    isWide: true,
    sorts: ["-score", "score"],
    cell: ({ score }) => (score === null ? "—" : percent(score)),
  },
  {
    name: "Time",
    width: "5.4rem",
    isNumber: true,
    sorts: ["-duration", "duration"],
    cell: ({ latency_ms }) => milliseconds(latency_ms),
  },
  {
    name: "Tokens",
    width: "5.4rem",
    isNumber: true,
    isWide: true,
    cell: ({ output_tokens }) => (output_tokens === null ? "—" : count(output_tokens)),
  },
  {
    name: "Cost",
    width: "5.5rem",
    isNumber: true,
    isWide: true,
    isHidden: true,
    cell: ({ cost_usd }) => (cost_usd === null ? "—" : usd(cost_usd)),
  },
];

const MASK = "[masked:";
const CELL_CHARACTERS = 160;

function plain(text: string | null): ReactNode {
  if (text === null) return "—";
  return text.startsWith(MASK) ? <em>masked</em> : text.slice(0, CELL_CHARACTERS);
}

const KEY = "items.hidden-columns";

export interface Columns {
  all: readonly ItemColumn[];
  shown: readonly ItemColumn[];
  toggle: (name: string) => void;
}

/** The reader's choice of columns, kept in this browser. */
export function useColumns(evaluation: EvaluationDetail): Columns {
  const [hidden, setHidden] = useState(storedHidden);
  const all = COLUMNS.filter(({ name }) => name !== "Sample" || evaluation.samples > 1);

  function toggle(name: string) {
    const next = hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name];
    localStorage.setItem(KEY, next.join(","));
    setHidden(next);
  }

  return { all, shown: all.filter(({ name }) => !hidden.includes(name)), toggle };
}

function storedHidden(): string[] {
  const stored = localStorage.getItem(KEY);
  if (stored !== null) return stored.split(",").filter(Boolean);
  return COLUMNS.filter(({ isHidden }) => isHidden).map(({ name }) => name);
}
