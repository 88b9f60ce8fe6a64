import { useSyncExternalStore } from "react";
import type { RunEvent } from "./client";
import { invalidateRun, queryClient } from "./queries";
import { noteTraffic } from "./traffic";

/** `live` means that changes arrive as events; otherwise visible data is polled. */
export type Connection = "connecting" | "live" | "lost";

const POLL_MS = 5_000;
const REOPEN_MS = 3_000;
const GATHER_MS = 250;
/** Progress alone is shown from the events themselves, so the rest may come later. */
const PROGRESS_MS = 1_000;
/** A stream that opens within this time shows no notice. */
const CONNECT_TIMEOUT_MS = 2_500;

let state: Connection = "connecting";
let source: EventSource | undefined;
let lastId: string | undefined;
type Timer = ReturnType<typeof setTimeout>;

let poll: Timer | undefined;
let reopen: Timer | undefined;
let gather: Timer | undefined;
let gatherAt = Number.POSITIVE_INFINITY;
const changedRuns = new Set<string>();
const watchers = new Set<() => void>();

/** One stream for the whole tab, closed while the tab is hidden: a browser allows six connections for all tabs. */
export function startEvents() {
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", () => open());
  if (!document.hidden) open();
}

export function useConnection(): Connection {
  return useSyncExternalStore(watch, () => state);
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

function become(next: Connection) {
  if (state === next) return;
  state = next;
  clearInterval(poll);
  if (state === "lost") poll = setInterval(() => void queryClient.invalidateQueries(), POLL_MS);
  for (const changed of watchers) changed();
}

function open() {
  if (source) return;
  clearTimeout(reopen);
  const opened = new EventSource(lastId ? `/api/events?Last-Event-ID=${lastId}` : "/api/events");
  source = opened;
  const timeout = setTimeout(
    () => source === opened && state !== "live" && become("lost"),
    CONNECT_TIMEOUT_MS,
  );
  opened.addEventListener("open", () => {
    clearTimeout(timeout);
    // The stream does not report what happened before its first event.
    void queryClient.invalidateQueries();
    become("live");
  });
  opened.addEventListener("message", ({ data, lastEventId }: MessageEvent<string>) => {
    lastId = lastEventId || lastId;
    const event: RunEvent = JSON.parse(data);
    noteTraffic(event);
    note(event);
  });
  opened.addEventListener("error", () => {
    if (source !== opened) return;
    become("lost");
    // A browser reconnects by itself only if the connection broke, not if the server refused it.
    if (opened.readyState === EventSource.CLOSED) {
      close();
      reopen = setTimeout(open, REOPEN_MS);
    }
  });
}

function close() {
  source?.close();
  source = undefined;
  clearTimeout(reopen);
}

/** An event only says what has changed; several in quick succession cause one refresh. */
function note({ run_id, event_type }: RunEvent) {
  changedRuns.add(run_id);
  const dueAt = Date.now() + (event_type === "benchmark_progress" ? PROGRESS_MS : GATHER_MS);
  if (dueAt >= gatherAt) return;
  clearTimeout(gather);
  gatherAt = dueAt;
  gather = setTimeout(refresh, dueAt - Date.now());
}

function refresh() {
  gatherAt = Number.POSITIVE_INFINITY;
  for (const changed of changedRuns) invalidateRun(changed);
  changedRuns.clear();
  for (const key of ["runs", "status", "overview", "leaderboard"]) {
    void queryClient.invalidateQueries({ queryKey: [key] });
  }
}
