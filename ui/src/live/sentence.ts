import type { RunDetail, Schemas } from "../api/client";
import { callsInFlight, type EvaluationTraffic, type Traffic } from "../api/traffic";
import { count, duration, secondsRange } from "../format";

/** All that is known about a run under way. */
export interface Situation {
  run: Pick<RunDetail, "id" | "status" | "is_interrupted" | "queue_position" | "start_in_s" | "progress">;
  overview: Pick<Schemas["Overview"], "workers" | "stalled"> | undefined;
  isMaintained: boolean;
  traffic: Traffic;
}

/** What the run waits for or is slowed down by, in one sentence; undefined while nothing is in its way. */
export function delayOf(situation: Situation): string | undefined {
  const { run, overview, isMaintained, traffic } = situation;
  if (run.is_interrupted) return "Interrupted: the process that ran it is gone. Resume it to go on.";
  if (isMaintained) return "Waiting for the end of the maintenance: until then, nothing is started.";
  const workers = overview?.workers ?? [];
  const isAlive = workers.some(({ is_alive }) => is_alive);
  if (run.status === "queued") return overview && !isAlive ? NO_WORKER : placeInQueue(run, workers);
  if (workers.length > 0 && !isAlive) return NO_WORKER;
  const calls = Object.values(traffic.evaluations);
  return (
    refusedCalls(calls) ??
    longWait(run.id, overview?.stalled ?? [], calls) ??
    loweredLimit(calls) ??
    (run.progress.completed === 0 && calls.length === 0
      ? "Starting: the data is read and the endpoint is checked."
      : undefined)
  );
}

const NO_WORKER = "Waiting for a worker: none is connected.";

function placeInQueue(
  { queue_position: place, start_in_s: start }: Situation["run"],
  workers: Schemas["Overview"]["workers"],
): string {
  const soon = start ? `, starts in ${secondsRange(start)}` : "";
  if (place !== null && place > 1) {
    return `Queued behind ${count(place - 1)} ${place === 2 ? "run" : "runs"}${soon}.`;
  }
  const alive = workers.filter(({ is_alive }) => is_alive);
  const isBusy = alive.every((one) => one.running_shards >= one.max_concurrent_runs);
  return alive.length > 0 && isBusy
    ? `Waiting for a worker: all are busy with other runs${soon}.`
    : `Next in the queue${soon}.`;
}

/** Calls that the endpoint refuses or fails to answer. */
function refusedCalls(calls: readonly EvaluationTraffic[]): string | undefined {
  const closed = highest(calls, ({ closedForS }) => closedForS);
  if (closed && closed.closedForS > 0) {
    return `Rate limited: the endpoint of ${closed.model} asked for a pause of ${duration(closed.closedForS * 1_000)}.`;
  }
  const held = highest(calls, ({ waiting }) => waiting);
  if (!held || held.waiting === 0) return undefined;
  const kind = held.reason.includes("429") ? "Rate limited" : "The endpoint fails";
  const them =
    held.waiting === 1
      ? `1 attempt at ${held.model} waits`
      : `${count(held.waiting)} attempts at ${held.model} wait`;
  return `${kind}: ${them} to repeat a call (${held.reason}).`;
}

/** Attempts that take long, told apart by whether a call of theirs is under way. */
function longWait(
  runId: string,
  stalled: Schemas["Overview"]["stalled"],
  calls: readonly EvaluationTraffic[],
): string | undefined {
  const own = stalled.filter(({ run_id }) => run_id === runId);
  const [longest] = own.toSorted((a, b) => b.idle_s - a.idle_s);
  if (!longest) return undefined;
  const many = `${count(own.length)} ${own.length === 1 ? "attempt" : "attempts"}`;
  const since = `for up to ${duration(longest.idle_s * 1_000)}`;
  const known = calls.filter(({ model }) => model === longest.model);
  return known.length > 0 && callsInFlight(known) === 0
    ? `The sandbox or the grader is slow: ${many} of ${longest.benchmark} ${own.length === 1 ? "has" : "have"} been under way ${since}, and no call is.`
    : `The endpoint is slow: ${many} at ${longest.model} ${own.length === 1 ? "has" : "have"} waited ${since}.`;
}

function loweredLimit(calls: readonly EvaluationTraffic[]): string | undefined {
  const limited = highest(calls, ({ rateLimited }) => rateLimited);
  if (!limited || limited.rateLimited === 0 || limited.inFlight < limited.callLimit) return undefined;
  const { model, callLimit, rateLimited } = limited;
  return `Rate limited: ${count(rateLimited)} calls to ${model} were refused (429), so no more than ${count(callLimit)} are made at a time.`;
}

function highest<T>(all: readonly T[], figure: (one: T) => number): T | undefined {
  return all.toSorted((a, b) => figure(b) - figure(a))[0];
}
