import { getRouteApi } from "@tanstack/react-router";
import type { EvaluationDetail } from "../api/client";
import { itemsQuery, queryClient } from "../api/queries";
import { useReveal } from "../api/reveal";
import { filterOf } from "./rows";
import { isQueue, type ItemsSearch } from "./search";

const route = getRouteApi("/runs/$runId/items");

/** In the queue of what nobody has annotated, an annotation leads on to the next answer. */
export function useReview(runId: string, evaluation: EvaluationDetail, search: ItemsSearch) {
  const navigate = route.useNavigate();
  const [reveal] = useReveal(runId);

  async function onAnnotated() {
    if (!isQueue(search)) return;
    const filter = filterOf(evaluation, search, reveal);
    // The annotated answer has left the list: the one after it is in its place, or the last one before it.
    const at = search.at ?? 0;
    const asked = { limit: 2, offset: Math.max(0, at - 1) };
    const { items } = await queryClient.fetchQuery({
      ...itemsQuery(runId, evaluation.benchmark, filter, asked),
      staleTime: 0,
    });
    const place = Math.min(at, items.total - 1);
    const next = items.items[place - asked.offset];
    void navigate({
      search: ({ item: _item, at: _at, sample: _sample, ...rest }) => ({
        ...rest,
        ...(next
          ? { item: next.item_id, at: place, ...(next.sample > 0 ? { sample: next.sample } : {}) }
          : {}),
      }),
      replace: true,
      resetScroll: false,
    });
  }

  return { onAnnotated };
}
