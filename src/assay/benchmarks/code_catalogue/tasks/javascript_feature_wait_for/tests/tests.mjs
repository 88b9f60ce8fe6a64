import { getEventListeners } from "node:events";

import { WaitTimeoutError } from "/workspace/src/errors.js";
import { waitFor } from "/workspace/src/wait-for.js";

/** Lets everything happen that needs no time. */
async function flush() {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Time that passes only when a test says so. */
class TestClock {
  time = 0;
  timers = new Map();
  lastTimer = 0;

  now() {
    return this.time;
  }

  setTimeout(callback, delay = 0) {
    this.lastTimer += 1;
    // As in Node: a delay that a timer cannot have is over at once.
    const allowed = delay <= 2147483647 ? Math.max(delay, 0) : 1;
    this.timers.set(this.lastTimer, { at: this.time + allowed, callback });
    return this.lastTimer;
  }

  clearTimeout(timer) {
    this.timers.delete(timer);
  }

  async advance(duration) {
    const end = this.time + duration;
    await flush();
    for (;;) {
      const [first] = [...this.timers].sort(([, one], [, other]) => one.at - other.at);
      if (first === undefined || first[1].at > end) break;
      this.timers.delete(first[0]);
      this.time = first[1].at;
      first[1].callback();
      await flush();
    }
    this.time = end;
  }
}

/** How a wait ends, without ever waiting for it. */
function watch(clock, waiting) {
  const watched = { state: "pending" };
  waiting.then(
    (value) => Object.assign(watched, { state: "resolved", value, at: clock.time }),
    (error) => Object.assign(watched, { state: "rejected", error: described(error), at: clock.time }),
  );
  return watched;
}

function described(error) {
  if (!(error instanceof WaitTimeoutError)) return `${error?.name ?? typeof error}: ${error?.message ?? error}`;
  return [error.message, error.attempts, error.timeout, String(error.cause?.message ?? error.cause)];
}

/** A condition that answers from a list, the last one for ever, and notes when it is called. */
function answers(clock, ...values) {
  const condition = () => {
    const value = values[Math.min(condition.times.length, values.length - 1)];
    condition.times.push(clock.time);
    return typeof value === "function" ? value() : value;
  };
  condition.times = [];
  return condition;
}

const later = (clock, delay, value) => () => new Promise((resolve) => clock.setTimeout(() => resolve(value), delay));
const failing = (message) => () => {
  throw new Error(message);
};

export async function resolves_with_the_truthy_value(observe) {
  const clock = new TestClock();
  const condition = answers(clock, false, 0, "", null, undefined, NaN, { found: 7 });
  const ended = watch(clock, waitFor(condition, { clock, timeout: 500, interval: 30 }));
  await clock.advance(179);
  observe(ended.state);
  await clock.advance(300);
  observe(ended);
  observe(condition.times);

  const immediate = watch(
    clock,
    waitFor(() => "yes", { clock }),
  );
  await flush();
  observe(immediate);
}

export async function waits_between_settled_calls(observe) {
  const clock = new TestClock();
  const condition = answers(
    clock,
    later(clock, 70, false),
    later(clock, 5, null),
    later(clock, 120, 0),
    false,
    later(clock, 15, "ready"),
  );
  const ended = watch(clock, waitFor(condition, { clock, interval: 40 }));
  await clock.advance(900);
  observe(condition.times);
  observe(ended);
}

export async function time_is_up(observe) {
  const clock = new TestClock();
  clock.time = 5000;
  const condition = answers(clock, false);
  const ended = watch(clock, waitFor(condition, { clock, timeout: 300, interval: 70 }));
  await clock.advance(299);
  observe(ended.state);
  await clock.advance(1);
  observe(ended);
  await clock.advance(500);
  observe(condition.times);
}

export async function no_call_when_time_is_up(observe) {
  const clock = new TestClock();
  const exact = answers(clock, false, false, "too late");
  const ended = watch(clock, waitFor(exact, { clock, timeout: 100, interval: 50 }));
  await clock.advance(200);
  observe([exact.times, ended]);

  const long = answers(clock, false, "too late");
  const longEnded = watch(clock, waitFor(long, { clock, timeout: 20, interval: 50 }));
  await clock.advance(200);
  observe([long.times, longEnded]);
}

export async function limit_of_zero(observe) {
  const clock = new TestClock();
  const unmet = answers(clock, false, "second");
  const ended = watch(clock, waitFor(unmet, { clock, timeout: 0, interval: 10 }));
  const met = watch(
    clock,
    waitFor(() => "at once", { clock, timeout: 0 }),
  );
  await clock.advance(50);
  observe([unmet.times, ended]);
  observe(met.value ?? met.state);
}

export async function pending_call_when_time_is_up(observe) {
  const clock = new TestClock();
  const condition = answers(clock, false, later(clock, 400, "late"));
  const ended = watch(clock, waitFor(condition, { clock, timeout: 200, interval: 60 }));
  await clock.advance(200);
  observe(ended);
  const rejecting = () => new Promise((_resolve, reject) => clock.setTimeout(() => reject(new Error("late")), 90));
  const other = watch(clock, waitFor(rejecting, { clock, timeout: 80 }));
  await clock.advance(600);
  observe(other);
  observe([condition.times, clock.timers.size]);
}

export async function failing_calls(observe) {
  const clock = new TestClock();
  const condition = answers(clock, failing("refused"), () => Promise.reject(new Error("reset")), "up");
  const ended = watch(clock, waitFor(condition, { clock, interval: 25 }));
  await clock.advance(100);
  observe(ended);

  const onlyFailing = answers(clock, failing("first"), failing("second"), () => Promise.reject(new Error("third")));
  const failed = watch(clock, waitFor(onlyFailing, { clock, timeout: 110, interval: 50 }));
  const lastFine = watch(clock, waitFor(answers(clock, failing("first"), false), { clock, timeout: 80 }));
  await clock.advance(200);
  observe(failed);
  observe(lastFine);
}

export async function no_limit(observe) {
  const clock = new TestClock();
  const condition = answers(clock, ...Array(40).fill(false), "finally");
  const ended = watch(clock, waitFor(condition, { clock, timeout: Infinity, interval: 100_000 }));
  await clock.advance(3_950_000);
  observe([ended.state, condition.times.length]);
  await clock.advance(60_000);
  observe(ended);
}

export async function defaults(observe) {
  const clock = new TestClock();
  const condition = answers(clock, false);
  const ended = watch(clock, waitFor(condition, { clock }));
  await clock.advance(2000);
  observe(ended);
  observe(condition.times.slice(-3));

  let calls = 0;
  observe(await waitFor(() => (calls += 1) >= 3 && `${calls} calls`, { interval: 1, timeout: 50_000 }));
}

export async function abort(observe) {
  const clock = new TestClock();
  const controller = new AbortController();
  const { signal } = controller;
  const between = answers(clock, false);
  const pending = answers(clock, later(clock, 300, "late"));
  const ended = [between, pending].map((condition) =>
    watch(clock, waitFor(condition, { clock, signal, interval: 40 })),
  );
  await clock.advance(90);
  controller.abort(new Error("shutting down"));
  await flush();
  observe(ended);
  await clock.advance(1000);
  observe([between.times, pending.times]);

  const unused = answers(clock, "value");
  const refused = watch(clock, waitFor(unused, { clock, signal: AbortSignal.abort("closed"), timeout: 0 }));
  await flush();
  observe([refused, unused.times]);
}

export async function leaves_nothing_behind(observe) {
  const clock = new TestClock();
  const left = (signal) => `${clock.timers.size} timers, ${getEventListeners(signal, "abort").length} listeners`;
  const options = { clock, timeout: 90, interval: 40 };

  const met = new AbortController().signal;
  const resolved = watch(clock, waitFor(answers(clock, false, "met"), { ...options, signal: met }));
  await clock.advance(40);
  observe([resolved.state, left(met)]);

  const late = new AbortController().signal;
  const rejected = watch(clock, waitFor(answers(clock, false), { ...options, signal: late }));
  await clock.advance(90);
  observe([rejected.state, left(late)]);

  const controller = new AbortController();
  const aborted = watch(clock, waitFor(answers(clock, false), { ...options, signal: controller.signal }));
  await clock.advance(10);
  controller.abort();
  await flush();
  observe([aborted.error, left(controller.signal)]);
}

export async function wrong_arguments(observe) {
  const clock = new TestClock();
  const condition = answers(clock, "called");
  const kinds = [];
  const refuse = async (...args) => {
    try {
      const waiting = waitFor(...args);
      await waiting.then(
        (value) => kinds.push(value),
        (error) => kinds.push(error.name),
      );
    } catch (error) {
      kinds.push(`thrown synchronously: ${error.name}`);
    }
  };
  for (const wrong of [undefined, null, "ready", true]) await refuse(wrong, { clock });
  for (const timeout of ["100", null, -1, -Infinity, NaN]) await refuse(condition, { clock, timeout });
  for (const interval of ["50", null, 0, -5, NaN, Infinity]) await refuse(condition, { clock, interval });
  await refuse(condition, { clock, timeout: -1, signal: AbortSignal.abort(new Error("aborted")) });
  observe(kinds);
  observe(condition.times.length);
  await refuse(condition, { clock, timeout: undefined, interval: undefined });
  observe(kinds.at(-1));
}
