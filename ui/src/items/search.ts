import type { Outcome } from "../api/client";
import { lean, oneOf, text, texts, wholeNumber } from "../api/searchParams";
import { occurred, OUTCOMES } from "../charts/outcomes";

export const SORTS = ["item", "score", "-score", "duration", "-duration"] as const;
export type Sort = (typeof SORTS)[number];

/** What annotations say, and none. */
export const LABELS = ["golden", "fix", "wrong", "none"] as const;
export type ShownLabel = (typeof LABELS)[number];
const MOST = 10 ** 12;
const MOST_S = 10 ** 9;

/** What the items tab shows, as it stands in the URL. */
export interface ItemsSearch {
  model?: string;
  benchmark?: string;
  outcome?: Outcome[];
  q?: string;
  sort?: Sort;
  category?: string[];
  label?: ShownLabel[];
  minTokens?: number;
  maxTokens?: number;
  /** Seconds. */
  minTime?: number;
  maxTime?: number;
  /** Each sample in a row of its own. */
  each?: true;
  /** The item in the panel beside the list, its sample, and its place in the list as it was then. */
  item?: string;
  sample?: number;
  at?: number;
}

export function itemsSearch(raw: Record<string, unknown>): ItemsSearch {
  const known = OUTCOMES.map(({ outcome }) => outcome);
  return lean({
    model: text(raw["model"]),
    benchmark: text(raw["benchmark"]),
    outcome: texts(raw["outcome"]).flatMap((one) => oneOf(one, known) ?? []),
    q: text(raw["q"]),
    sort: oneOf(raw["sort"], SORTS),
    category: texts(raw["category"]),
    label: texts(raw["label"]).flatMap((one) => oneOf(one, LABELS) ?? []),
    minTokens: wholeNumber(raw["minTokens"], { to: MOST }),
    maxTokens: wholeNumber(raw["maxTokens"], { to: MOST }),
    minTime: wholeNumber(raw["minTime"], { to: MOST_S }),
    maxTime: wholeNumber(raw["maxTime"], { to: MOST_S }),
    each: String(raw["each"]) === "true" ? (true as const) : undefined,
    item: text(raw["item"]),
    sample: wholeNumber(raw["sample"], { from: 1 }),
    at: wholeNumber(raw["at"]),
  });
}

/** Whether the list leaves something out. */
export function isNarrowed(search: ItemsSearch): boolean {
  const { outcome, q, category, label, minTokens, maxTokens, minTime, maxTime } = search;
  return [outcome, q, category, label, minTokens, maxTokens, minTime, maxTime].some(
    (one) => one !== undefined,
  );
}

/** The list of what nobody has annotated yet: annotating takes an item out of it. */
export function isQueue({ label }: ItemsSearch): boolean {
  return label?.length === 1 && label[0] === "none";
}

/** The same list with another filter: the open item may not be in it, so the panel closes. */
export function narrowed(
  search: ItemsSearch,
  change: Partial<Record<keyof ItemsSearch, unknown>>,
): ItemsSearch {
  const { item: _item, at: _at, sample: _sample, ...rest } = search;
  return itemsSearch({ ...rest, ...change });
}

export interface FilterMode {
  label: string;
  outcomes: readonly Outcome[];
}

/** The questions asked most often, one click away. */
export const MODES: readonly FilterMode[] = [
  { label: "All", outcomes: [] },
  { label: "Correct", outcomes: ["correct"] },
  {
    label: "Not correct",
    outcomes: OUTCOMES.filter((one) => one.kind === "verdict" && one.outcome !== "correct").map(
      ({ outcome }) => outcome,
    ),
  },
  { label: "Not graded", outcomes: ["answered"] },
  {
    label: "Errors",
    outcomes: OUTCOMES.filter(({ kind }) => kind === "missing").map(({ outcome }) => outcome),
  },
];

/** The filters that fit an evaluation: verdicts where something is graded, what is not graded where it occurs. */
export function modesFor(counts: Partial<Record<string, number>>): readonly FilterMode[] {
  const kinds = new Set(occurred(counts).map(({ kind }) => kind));
  return MODES.filter(({ label }) => {
    if (label === "Not graded") return kinds.has("ungraded");
    return kinds.has("verdict") || !kinds.has("ungraded") || label === "All" || label === "Errors";
  });
}

export function isMode(mode: FilterMode, chosen: readonly Outcome[]): boolean {
  return mode.outcomes.length === chosen.length && mode.outcomes.every((one) => chosen.includes(one));
}
