import { expect, test } from "vitest";
import type { RunEvent } from "./client";
import { callsInFlight, NO_TRAFFIC, trafficAfter } from "./traffic";

function event(
  benchmark: string,
  data: RunEvent["data"],
  type: RunEvent["event_type"] = "benchmark_progress",
) {
  return {
    id: "1",
    event_type: type,
    benchmark_name: benchmark,
    message: "",
    data,
    created_at: "2026-01-01T00:00:00Z",
    run_id: "r",
    model: "m",
  };
}

test("evaluations of one endpoint share its calls, those of another add theirs", () => {
  const shared = { endpoint: "http://a", calls_in_flight: 5 };
  let traffic = trafficAfter(NO_TRAFFIC, event("one", shared), 0);
  traffic = trafficAfter(traffic, event("two", shared), 10);
  traffic = trafficAfter(traffic, event("three", { endpoint: "http://b", calls_in_flight: 2 }), 20);
  expect(callsInFlight(Object.values(traffic.evaluations))).toBe(7);
});

test("a sample a second says how many calls failed since the one before", () => {
  let traffic = trafficAfter(NO_TRAFFIC, event("one", { retries: 4, requests_per_s: 2 }), 0);
  traffic = trafficAfter(traffic, event("one", { retries: 6 }), 500);
  traffic = trafficAfter(traffic, event("one", { retries: 9, requests_per_s: 3 }), 1_000);
  expect(traffic.samples).toEqual([
    { at: 0, perSecond: 2, inFlight: 0, failed: 0 },
    { at: 1_000, perSecond: 3, inFlight: 0, failed: 5 },
  ]);
});

test("an evaluation that ended is under way no more", () => {
  const traffic = trafficAfter(NO_TRAFFIC, event("one", { calls_in_flight: 5 }), 0);
  expect(trafficAfter(traffic, event("one", {}, "benchmark_completed"), 1).evaluations).toEqual({});
});
