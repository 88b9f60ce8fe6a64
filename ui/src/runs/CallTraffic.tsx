import { useQuery } from "@tanstack/react-query";
import type { Traffic } from "../api/events";
import { count } from "../format";

/** Why a run is slow: calls that were refused or failed and are repeated, and how many are in flight. */
export function CallTraffic({ runId }: { runId: string }) {
  const { data } = useQuery<Traffic | null>({
    queryKey: ["traffic", runId],
    queryFn: () => null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data || !numberOf(data, "retries")) return null;
  const parts = [
    `${count(numberOf(data, "calls_in_flight"))} calls in flight, at most ${count(numberOf(data, "call_limit"))} now`,
    `${count(numberOf(data, "retries"))} repeated`,
    `${count(numberOf(data, "rate_limited"))} rate-limited (429)`,
  ];
  const waiting = numberOf(data, "waiting_to_retry");
  return (
    <p>
      {parts.join(" · ")}
      {waiting > 0 ? ` · ${count(waiting)} waiting to repeat a call: ${String(data["retry_reason"])}` : null}
    </p>
  );
}

function numberOf(data: Traffic, name: string): number {
  const value = data[name];
  return typeof value === "number" ? value : 0;
}
