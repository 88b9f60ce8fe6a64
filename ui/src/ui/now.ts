import { useSyncExternalStore } from "react";

const TICK_MS = 1_000;

function subscribe(changed: () => void): () => void {
  const timer = setInterval(changed, TICK_MS);
  return () => clearInterval(timer);
}

/** The time, in whole seconds: equal within one second, as a snapshot must be. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / TICK_MS) * TICK_MS);
}
