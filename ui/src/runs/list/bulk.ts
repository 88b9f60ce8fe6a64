import { useMutation } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "../../api/client";
import { invalidateRun, queryClient } from "../../api/queries";

type Change = Schemas["RunChange"];

const AT_ONCE = 4;
/** The most that the server deletes with one request. */
const MOST_DELETED = 200;

export interface TagChange {
  added: readonly string[];
  removed: readonly string[];
}

/** Archives, tags and describes runs; the list is read again afterwards. */
export function useRunChanges() {
  return useMutation({
    mutationFn: ({ ids, change }: { ids: readonly string[]; change: Change }) =>
      each(ids, (id) => patch(id, change)),
    onSettled: refresh,
  });
}

export function useTagging() {
  return useMutation({
    mutationFn: ({ ids, tags }: { ids: readonly string[]; tags: TagChange }) =>
      each(ids, async (id) => {
        const run = unwrap(await api.GET("/api/runs/{run_id}", { params: { path: { run_id: id } } }));
        await patch(id, { tags: tagged(run.tags, tags) });
      }),
    onSettled: refresh,
  });
}

export function useDeletion() {
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (let from = 0; from < ids.length; from += MOST_DELETED) {
        const query = { run: ids.slice(from, from + MOST_DELETED) };
        // One after the other: what was not deleted is still there when a later one fails.
        // oxlint-disable-next-line no-await-in-loop
        unwrap(await api.DELETE("/api/runs", { params: { query } }));
      }
    },
    onSettled: (_data, _error, ids) => refresh(undefined, null, { ids }),
  });
}

/** The tags of a run after the change, without the ones it does not have. */
export function tagged(tags: readonly string[], { added, removed }: TagChange): string[] {
  return [...new Set([...tags, ...added])].filter((tag) => !removed.includes(tag)).toSorted();
}

/** What was typed as tags, with spaces or commas between. */
export function tagsIn(typed: string): string[] {
  return [...new Set(typed.split(/[\s,]+/).map((tag) => tag.replace(/^#/, "")))].filter(Boolean);
}

async function patch(id: string, body: Change): Promise<void> {
  unwrap(await api.PATCH("/api/runs/{run_id}", { params: { path: { run_id: id } }, body }));
}

async function each(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const waiting = [...ids];
  async function worker() {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      // oxlint-disable-next-line no-await-in-loop -- few requests at a time
      await work(id);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function refresh(_data: unknown, _error: Error | null, { ids }: { ids: readonly string[] }) {
  ids.forEach(invalidateRun);
  void queryClient.invalidateQueries({ queryKey: ["runs"] });
}
