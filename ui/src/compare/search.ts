import { LIKENESSES, type Likeness, SHOWN, type Shown } from "../api/answers";
import type { ItemChoice } from "../api/queries";
import { lean, oneOf, text, texts } from "../api/searchParams";

export const VIEWS = ["summary", "items", "answers", "matrix", "charts", "cost"] as const;
export type View = (typeof VIEWS)[number];
export const CHOICES: readonly ItemChoice[] = ["disagree", "only_first", "all_wrong", "all"];

/** What is compared and how it is looked at, as it stands in the URL; the first run is the baseline. */
export interface CompareSearch {
  run?: string[];
  evaluation?: string[];
  view?: View;
  benchmark?: string;
  items?: ItemChoice;
  item?: string;
  show?: Shown;
  by?: Likeness;
}

export function compareSearch(raw: Record<string, unknown>): CompareSearch {
  return lean({
    run: texts(raw["run"]),
    evaluation: texts(raw["evaluation"]),
    view: oneOf(raw["view"], VIEWS),
    benchmark: text(raw["benchmark"]),
    items: oneOf(raw["items"], CHOICES),
    item: text(raw["item"]),
    show: oneOf(raw["show"], SHOWN),
    by: oneOf(raw["by"], LIKENESSES),
  });
}
