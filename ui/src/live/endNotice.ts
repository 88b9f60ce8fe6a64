import { QueryObserver } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { RunDetail } from "../api/client";
import { isLive, queryClient, runQuery } from "../api/queries";
import { tabTitle } from "./tabTitle";

const POLL_MS = 10_000;
const KEY = "notify-at-end";

/** The runs whose end is to be told, each with what stops watching it. */
const watched = new Map<string, () => void>();
const watchers = new Set<() => void>();

/** Whether the end of the run is to be told, and how to change that. */
export function useEndNotice(runId: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    () => watched.has(runId),
  );
}

export type Refusal = "unsupported" | "denied";

/** Asks the browser's leave first; says why there will be no notice, or nothing. */
export async function askForEndNotice(runId: string): Promise<Refusal | undefined> {
  if (!("Notification" in globalThis)) return "unsupported";
  if ((await Notification.requestPermission()) !== "granted") return "denied";
  watch(runId);
  return undefined;
}

export function dropEndNotice(runId: string) {
  watched.get(runId)?.();
  watched.delete(runId);
  tellWatchers();
}

/** A reloaded tab goes on with what was asked for in it. */
export function restoreEndNotices() {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  for (const runId of (sessionStorage.getItem(KEY) ?? "").split(",").filter(Boolean)) watch(runId);
}

function watch(runId: string) {
  if (watched.has(runId)) return;
  const observer = new QueryObserver(queryClient, {
    ...runQuery(runId),
    refetchInterval: POLL_MS,
    refetchIntervalInBackground: true,
  });
  const stop = observer.subscribe(({ data }) => {
    if (!data || isLive(data.status)) return;
    dropEndNotice(runId);
    show(data);
  });
  watched.set(runId, stop);
  tellWatchers();
}

function show(run: RunDetail) {
  const notice = new Notification(tabTitle(run), {
    body: run.error_message ?? run.name,
    tag: run.id,
  });
  notice.addEventListener("click", () => {
    window.focus();
    notice.close();
  });
}

function tellWatchers() {
  sessionStorage.setItem(KEY, [...watched.keys()].join(","));
  for (const tell of watchers) tell();
}
