import { expect, test } from "vitest";
import { type EvaluationTraffic, NO_TRAFFIC } from "../api/traffic";
import { delayOf, type Situation } from "./sentence";

const RUN: Situation["run"] = {
  id: "r1",
  status: "running",
  is_interrupted: false,
  queue_position: null,
  start_in_s: null,
  progress: { completed: 3, total: 10 },
};
const CALLS: EvaluationTraffic = {
  model: "vllm/a",
  benchmark: "quiz",
  endpoint: "http://h/v1",
  accuracy: null,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: null,
  perSecond: 2,
  inFlight: 4,
  callLimit: 16,
  closedForS: 0,
  rateLimited: 0,
  retries: 0,
  waiting: 0,
  reason: "",
};
const WORKER = {
  worker_id: "w",
  hostname: "h",
  running_runs: 1,
  max_concurrent_runs: 4,
  item_concurrency: 16,
  running_shards: 4,
  calls_in_flight: {},
  started_at: "2026-01-01T00:00:00Z",
  last_seen: "2026-01-01T00:00:00Z",
  is_alive: true,
  is_draining: false,
  version: "1",
  only_models: [],
  only_owners: [],
};
const STALLED = {
  run_id: "r1",
  evaluation_id: "e",
  model: "vllm/a",
  benchmark: "quiz",
  item_id: "1",
  sample: 0,
  idle_s: 47,
};

function said(change: {
  run?: Partial<Situation["run"]>;
  calls?: Partial<EvaluationTraffic>;
  overview?: Partial<NonNullable<Situation["overview"]>>;
  isMaintained?: boolean;
}): string | undefined {
  return delayOf({
    run: { ...RUN, ...change.run },
    overview: { workers: [WORKER], stalled: [], ...change.overview },
    isMaintained: change.isMaintained ?? false,
    traffic: { ...NO_TRAFFIC, evaluations: { one: { ...CALLS, ...change.calls } } },
  });
}

const QUEUED = { status: "queued", progress: { completed: 0, total: 10 } } as const;

test.each([
  [{}, undefined],
  [{ run: { is_interrupted: true } }, "Interrupted"],
  [{ isMaintained: true }, "maintenance"],
  [{ run: { ...QUEUED, queue_position: 3 } }, "Queued behind 2 runs."],
  [
    { run: { ...QUEUED, queue_position: 2, start_in_s: { low: 5, high: 9 } } },
    "behind 1 run, starts in 5 – 9",
  ],
  [{ run: { ...QUEUED, queue_position: 1 } }, "Waiting for a worker: all are busy"],
  [{ run: QUEUED, overview: { workers: [{ ...WORKER, running_shards: 0 }] } }, "Next in the queue"],
  [{ run: QUEUED, overview: { workers: [] } }, "Waiting for a worker: none is connected."],
  [{ overview: { workers: [{ ...WORKER, is_alive: false }] } }, "Waiting for a worker: none"],
  [{ calls: { closedForS: 12 } }, "Rate limited: the endpoint of vllm/a asked for a pause of 12"],
  [{ calls: { waiting: 2, reason: "HTTP 429: slow down" } }, "Rate limited: 2 attempts at vllm/a wait"],
  [{ calls: { waiting: 1, reason: "HTTP 500" } }, "The endpoint fails: 1 attempt at vllm/a waits"],
  [{ overview: { stalled: [STALLED] } }, "The endpoint is slow: 1 attempt at vllm/a has waited for up to 47"],
  [
    { overview: { stalled: [STALLED, STALLED] }, calls: { inFlight: 0 } },
    "The sandbox or the grader is slow: 2",
  ],
  [{ overview: { stalled: [{ ...STALLED, run_id: "another" }] } }, undefined],
  [{ calls: { rateLimited: 31, inFlight: 4, callLimit: 4 } }, "31 calls to vllm/a were refused (429)"],
  [{ calls: { rateLimited: 31 } }, undefined],
])("%o: %s", (change, sentence) => {
  const found = said(change);
  if (sentence === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(sentence);
});

test("a run without an event so far is being started", () => {
  const run = { ...RUN, progress: { completed: 0, total: 10 } };
  const situation = { run, overview: undefined, isMaintained: false, traffic: NO_TRAFFIC };
  expect(delayOf(situation)).toContain("Starting");
});
