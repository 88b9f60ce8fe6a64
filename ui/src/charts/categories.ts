import type { Estimate } from "../api/client";

export interface CategorySeries {
  id: string;
  label: string;
  categories: Record<string, Estimate>;
}

export interface Category {
  name: string;
  items: number;
  /** One for each series, null where it has no score in the category. */
  estimates: readonly (Estimate | null)[];
}

/** The categories of all series: those with the most items, then by name. */
export function categoriesOf(series: readonly CategorySeries[]): Category[] {
  const names = [...new Set(series.flatMap(({ categories }) => Object.keys(categories)))];
  const found = names.map((name): Category => {
    const estimates = series.map(({ categories }) => categories[name] ?? null);
    return { name, items: Math.max(...estimates.map((one) => one?.n ?? 0)), estimates };
  });
  return found.toSorted((a, b) => b.items - a.items || a.name.localeCompare(b.name));
}
