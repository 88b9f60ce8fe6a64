import { useSyncExternalStore } from "react";
import type { RunEvent } from "./client";
import { queryClient } from "./queries";

/** `live` means that every change is told at once; otherwise everything in sight is asked for again and again. */
export type Connection = "connecting" | "live" | "lost";

const POLL_MS = 5_000;
const REOPEN_MS = 3_000;
const GATHER_MS = 250;
/** A stream that opens at once is not worth a word. */
const PATIENCE_MS = 2_500;

let state: Connection = "connecting";
let source: EventSource | undefined;
let lastId: string | undefined;
type Timer = ReturnType<typeof setTimeout>;

let poll: Timer | undefined;
let reopen: Timer | undefined;
let gather: Timer | undefined;
const changedRuns = new Set<string>();
const watchers = new Set<() => void>();

/** One stream for the whole tab, closed while nobody looks: a browser allows six connections over all tabs. */
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
  const impatient = setTimeout(() => source === opened && state !== "live" && become("lost"), PATIENCE_MS);
  opened.addEventListener("open", () => {
    clearTimeout(impatient);
    // What happened before the first event of this stream is not told by it.
    void queryClient.invalidateQueries();
    become("live");
  });
  opened.addEventListener("message", ({ data, lastEventId }: MessageEvent<string>) => {
    lastId = lastEventId || lastId;
    const event: RunEvent = JSON.parse(data);
    note(event.run_id);
  });
  opened.addEventListener("error", () => {
    if (source !== opened) return;
    become("lost");
    // A browser tries again by itself only where the connection broke, not where the server refused it.
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

/** An event only says what has changed; a burst of them is answered once. */
function note(runId: string) {
  changedRuns.add(runId);
  gather ??= setTimeout(() => {
    gather = undefined;
    for (const changed of changedRuns) void queryClient.invalidateQueries({ queryKey: ["run", changed] });
    changedRuns.clear();
    for (const key of ["runs", "status", "overview", "leaderboard"]) {
      void queryClient.invalidateQueries({ queryKey: [key] });
    }
  }, GATHER_MS);
}
