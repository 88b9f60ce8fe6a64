import { useSyncExternalStore } from "react";

/** Not stored anywhere: what was revealed is masked again with the next load of the page. */
let revealed: ReadonlySet<string> = new Set();
const watchers = new Set<() => void>();

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** Whether the masked texts of a run are to be shown in plain in this tab. */
export function useReveal(runId: string): [boolean, (isOn: boolean) => void] {
  const isOn = useSyncExternalStore(watch, () => revealed.has(runId));
  return [isOn, (next) => change(runId, next)];
}

function change(runId: string, isOn: boolean) {
  const others = [...revealed].filter((one) => one !== runId);
  revealed = new Set(isOn ? [...others, runId] : others);
  for (const changed of watchers) changed();
}
