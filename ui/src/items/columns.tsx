import { type ReactNode, useState } from "react";
import type { EvaluationDetail, ItemResult, Schemas } from "../api/client";
import { LABEL_NAMES } from "../api/labels";
import { count, milliseconds, percent, usd } from "../format";
import { FoundText } from "../ui/FoundText";
import { OutcomeChip } from "../ui/OutcomeChip";
import type { ItemsSearch, Sort } from "./search";

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

interface Context {
  evaluation: EvaluationDetail;
  search: ItemsSearch;
  categories: readonly string[];
}

const FIELDS: Record<Schemas["TextMatch"]["field"], string> = {
  item_id: "Item",
  extracted: "Answer",
  expected: "Expected",
  response: "Reply",
  prompt: "Prompt",
  error: "Error",
};

function columnsFor({ evaluation, search, categories }: Context): readonly ItemColumn[] {
  const { q } = search;
  const isGrouped = evaluation.samples > 1 && !search.each;
  const columns: (ItemColumn | undefined)[] = [
    { name: "Outcome", width: "7.6rem", cell: ({ outcome }) => <OutcomeChip outcome={outcome} /> },
    {
      name: "Item",
      width: "minmax(2.6rem, 1fr)",
      isCode: true,
      sorts: ["item", "item"],
      cell: ({ item_id }) => <FoundText text={item_id} part={q} />,
    },
    evaluation.samples > 1
      ? {
          name: "Samples",
          width: "5.4rem",
          isNumber: true,
          cell: ({ sample, samples: { correct, made } }) =>
            isGrouped ? `${count(correct)} of ${count(made)}` : `${sample + 1} of ${evaluation.samples}`,
        }
      : undefined,
    categories.length > 0
      ? {
          name: "Category",
          width: "minmax(4rem, 1fr)",
          isWide: true,
          cell: ({ category }) => category ?? "—",
        }
      : undefined,
    {
      name: "Answer",
      width: "minmax(2.2rem, 1.4fr)",
      isCode: true,
      isWide: q !== undefined,
      cell: ({ extracted }) => plain(extracted, q),
    },
    {
      name: "Expected",
      width: "minmax(5rem, 1.4fr)",
      isCode: true,
      isWide: true,
      cell: ({ expected }) => plain(expected, q),
    },
    q === undefined
      ? {
          name: "Reply",
          width: "minmax(8rem, 2.6fr)",
          isWide: true,
          cell: ({ response, error }) => plain(error ?? response),
        }
      : { name: "Match", width: "minmax(8rem, 4fr)", cell: ({ match }) => <Excerpt match={match} /> },
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
      name: "Annotation",
      width: "6.4rem",
      isWide: true,
      isHidden: search.label === undefined,
      cell: ({ label }) => (label === null ? "—" : LABEL_NAMES[label]),
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
  return columns.filter((one) => one !== undefined);
}

function Excerpt({ match }: { match: ItemResult["match"] }) {
  if (match === null) return "—";
  return (
    <>
      <small>{FIELDS[match.field]}</small> {ending(match.before)}
      <mark>{match.text}</mark>
      {match.after}
    </>
  );
}

/** So much that the match itself is in sight. */
function ending(text: string): string {
  return text.length > EXCERPT_BEFORE ? `…${text.slice(-EXCERPT_BEFORE)}` : text;
}

const EXCERPT_BEFORE = 18;
const MASK = "[masked:";
const CELL_CHARACTERS = 160;

function plain(text: string | null, part?: string): ReactNode {
  if (text === null) return "—";
  if (text.startsWith(MASK)) return <em>masked</em>;
  return <FoundText text={text.slice(0, CELL_CHARACTERS)} part={part} />;
}

const KEY = "items.columns";

export interface Columns {
  all: readonly ItemColumn[];
  shown: readonly ItemColumn[];
  toggle: (name: string) => void;
}

/** The reader's choice of columns, kept in this browser; what they did not choose is as it is by default. */
export function useColumns(context: Context): Columns {
  const [chosen, setChosen] = useState(storedChoice);
  const all = columnsFor(context);
  const isShown = ({ name, isHidden = false }: ItemColumn) => chosen[name] ?? !isHidden;

  function toggle(name: string) {
    const column = all.find((one) => one.name === name);
    if (!column) return;
    const next = { ...chosen, [name]: !isShown(column) };
    localStorage.setItem(KEY, JSON.stringify(next));
    setChosen(next);
  }

  return { all, shown: all.filter(isShown), toggle };
}

function storedChoice(): Record<string, boolean> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter((entry) => typeof entry[1] === "boolean"));
  } catch {
    return {};
  }
}
