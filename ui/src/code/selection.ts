import type { CodeTask } from "../api/code";

/** Stands in a URL for an empty selection; no task can have it as its id. */
export const NONE = "-";

/** The ids that are chosen; without any in the URL, all tasks that can be tested here. */
export function chosenIds(tasks: readonly CodeTask[], asked: readonly string[] | undefined): string[] {
  const isAsked = (id: string) => !asked?.length || asked.includes(id);
  return tasks.filter(({ id, available }) => available && isAsked(id)).map(({ id }) => id);
}

/** A selection as it stands in the URL. */
export function askedFor(tasks: readonly CodeTask[], chosen: readonly string[]): string[] {
  if (chosen.length === 0) return [NONE];
  return chosen.length === chosenIds(tasks, undefined).length ? [] : [...chosen];
}

/** The selection with these tasks added, or without them. */
export function withTasks(
  chosen: readonly string[],
  tasks: readonly CodeTask[],
  isWanted: boolean,
): string[] {
  const ids = tasks.filter(({ available }) => available).map(({ id }) => id);
  return isWanted ? [...new Set([...chosen, ...ids])] : chosen.filter((id) => !ids.includes(id));
}

/** Whether exactly the tasks of a list that can be tested here are chosen. */
export function isExactly(chosen: readonly string[], tasks: readonly CodeTask[]): boolean {
  const ids = chosenIds(tasks, undefined);
  return ids.length > 0 && ids.length === chosen.length && ids.every((id) => chosen.includes(id));
}
