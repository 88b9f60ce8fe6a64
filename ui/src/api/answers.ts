import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "./client";

export const SHOWN = ["all", "different", "same"] as const;
export const LIKENESSES = ["normalised", "exact"] as const;
export type Shown = (typeof SHOWN)[number];
export type Likeness = (typeof LIKENESSES)[number];

const PAGE = 20;

/** The answers of evaluations of one benchmark side by side, page by page. */
export function answersQuery(sides: readonly Schemas["Side"][], show: Shown, by: Likeness) {
  const evaluation = sides.map(({ evaluation_id }) => evaluation_id);
  const run = [...new Set(sides.map(({ run_id }) => run_id))];
  return infiniteQueryOptions({
    queryKey: ["compare", "answers", evaluation, show, by],
    queryFn: async ({ signal, pageParam }: { signal: AbortSignal; pageParam: number }) => {
      const query = { run, evaluation, show, by, limit: PAGE, offset: pageParam };
      return unwrap(await api.GET("/api/compare/answers", { params: { query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ total }: Schemas["AnswerComparison"], pages: Schemas["AnswerComparison"][]) => {
      const seen = pages.reduce((sum, { items }) => sum + items.length, 0);
      return seen < total ? seen : null;
    },
    staleTime: 10_000,
  });
}
