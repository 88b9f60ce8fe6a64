import { useQuery } from "@tanstack/react-query";
import type { RunEvent } from "../api/client";
import type { Traffic } from "../api/events";
import { count } from "../format";

/** Why a run is slow: calls that were refused or failed and are repeated, and how many are in flight. */
export function CallTraffic({ runId }: { runId: string }) {
  const { data } = useQuery<Traffic>({
    queryKey: ["traffic", runId],
    queryFn: () => ({}),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return Object.entries(data ?? {})
    .filter(([, calls]) => numberOf(calls, "retries") > 0)
    .map(([evaluation, calls]) => (
      <p key={evaluation}>
        {evaluation}: {described(calls)}
      </p>
    ));
}

function described(calls: RunEvent["data"]): string {
  const parts = [
    `${count(numberOf(calls, "calls_in_flight"))} calls in flight, at most ${count(numberOf(calls, "call_limit"))} now`,
    `${count(numberOf(calls, "retries"))} repeated`,
    `${count(numberOf(calls, "rate_limited"))} rate-limited (429)`,
  ];
  const closed = numberOf(calls, "closed_for_s");
  if (closed > 0) parts.push(`no call for ${count(Math.ceil(closed))} s`);
  const waiting = numberOf(calls, "waiting_to_retry");
  if (waiting > 0) parts.push(`${count(waiting)} waiting to repeat a call: ${String(calls["retry_reason"])}`);
  return parts.join(" · ");
}

function numberOf(calls: RunEvent["data"], name: string): number {
  const value = calls[name];
  return typeof value === "number" ? value : 0;
}
