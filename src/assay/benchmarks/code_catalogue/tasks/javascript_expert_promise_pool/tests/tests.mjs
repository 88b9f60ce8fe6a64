import { getEventListeners } from "node:events";

import { promisePool } from "/workspace/src/pool.js";

/** Lets everything happen that waits for nothing from outside. */
async function flush() {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** How a promise ends, without ever waiting for it. */
function watch(promise) {
  const watched = { state: "pending" };
  promise.then(
    (value) => Object.assign(watched, { state: "resolved", value }),
    (error) => Object.assign(watched, { state: "rejected", error: described(error) }),
  );
  return watched;
}

function described(error) {
  return error instanceof Error ? `${error.name}: ${error.message}` : `${typeof error} ${String(error)}`;
}

async function settled(promise) {
  const ended = watch(promise);
  await flush();
  return ended;
}

/** A worker whose calls end when a test says so. */
class Desk {
  calls = [];
  inProgress = 0;
  most = 0;

  worker = (input, index, signal) => {
    this.inProgress += 1;
    this.most = Math.max(this.most, this.inProgress);
    return new Promise((resolve, reject) => {
      this.calls.push({ input, index, signal, resolve, reject });
    }).finally(() => {
      this.inProgress -= 1;
    });
  };

  get inputs() {
    return this.calls.map((call) => call.input);
  }

  async finish(input, result = `${input}!`) {
    this.calls.find((call) => call.input === input).resolve(result);
    await flush();
  }

  async fail(input, error) {
    this.calls.find((call) => call.input === input).reject(error);
    await flush();
  }
}

/** An iterable of the letters from a on that notes what is done with it. */
function letters(count, notes, { isAsync = false, onNext = () => {} } = {}) {
  let taken = 0;
  const iterator = {
    next() {
      notes.push(`next ${taken}`);
      const special = onNext(taken);
      if (special !== undefined) return special;
      const step = taken < count ? { done: false, value: String.fromCharCode(97 + taken) } : { done: true };
      taken += 1;
      return isAsync ? Promise.resolve(step) : step;
    },
    return() {
      notes.push("return");
      return isAsync ? Promise.resolve({ done: true }) : { done: true };
    },
  };
  return { [isAsync ? Symbol.asyncIterator : Symbol.iterator]: () => iterator };
}

export async function results_in_order(observe) {
  const desk = new Desk();
  const ended = watch(promisePool(["a", "b", "c", "d"], desk.worker, { limit: 3 }));
  await flush();
  await desk.finish("c");
  desk.calls[1].resolve(undefined);
  await desk.finish("d");
  observe(ended.state);
  await desk.finish("a");
  observe(ended);
  observe(desk.calls.map((call) => [call.input, call.index, call.signal.aborted]));
  observe(new Set(desk.calls.map((call) => call.signal)).size);
  observe(await promisePool("xyz", (input, index) => input.repeat(index + 1)));
  observe(await promisePool(new Set(), desk.worker));
}

export async function limit(observe) {
  const desk = new Desk();
  const inputs = Array.from({ length: 9 }, (_value, index) => index);
  const ended = watch(promisePool(inputs, desk.worker, { limit: 3 }));
  await flush();
  observe(desk.inputs);
  // One slow call must not hold up the others.
  for (const input of [1, 2, 3, 4, 5]) {
    await desk.finish(input);
  }
  observe(desk.inputs);
  observe(desk.most);
  for (const input of [6, 7, 8]) await desk.finish(input);
  observe(ended.state);
  await desk.finish(0);
  observe(ended.value);
}

export async function other_limits(observe) {
  const most = async (options) => {
    const desk = new Desk();
    const ended = watch(promisePool(Array.from({ length: 30 }).keys(), desk.worker, options));
    await flush();
    const { inputs } = desk;
    for (let input = 0; input < 30; input += 1) await desk.finish(input, input * input);
    return [inputs.length, desk.most, ended.value?.slice(-2)];
  };
  observe(await most(undefined));
  observe(await most({ limit: 1 }));
  observe(await most({ limit: Infinity }));
}

export async function inputs_are_taken_lazily(observe) {
  const desk = new Desk();
  const notes = [];
  const ended = watch(promisePool(letters(4, notes), desk.worker, { limit: 2 }));
  await flush();
  observe([...notes]);
  await desk.finish("a");
  observe([...notes]);
  await desk.finish("c");
  await desk.finish("d");
  observe([...notes]);
  await desk.finish("b");
  observe([notes, ended.value]);
}

export async function async_inputs(observe) {
  const desk = new Desk();
  const waiting = [];
  const notes = [];
  const inputs = letters(3, notes, {
    isAsync: true,
    onNext: (taken) => (taken < 3 ? new Promise((resolve) => waiting.push(resolve)) : undefined),
  });
  const give = async (value, done = false) => {
    waiting.shift()({ value, done });
    await flush();
  };
  const ended = watch(promisePool(inputs, desk.worker, { limit: 5 }));
  await flush();
  observe([notes.length, desk.inputs]);
  await give("p");
  observe([notes.length, desk.inputs]);
  await give("q");
  await desk.finish("q");
  await give(undefined, true);
  observe(ended.state);
  await desk.finish("p");
  observe([notes.length, ended.value]);

  const both = { ...letters(2, []), ...letters(3, [], { isAsync: true }) };
  observe(await promisePool(both, (input) => input));
}

export async function promises_as_inputs(observe) {
  const inputs = [Promise.resolve("first"), new Promise(() => {}), Promise.reject(new Error("third"))];
  inputs[2].catch(() => {});
  const pool = promisePool(inputs, (input, index) => `${index} ${input instanceof Promise}`);
  const ended = watch(pool);
  await flush();
  observe(ended);
}

export async function first_failure(observe) {
  const desk = new Desk();
  const notes = [];
  const ended = watch(promisePool(letters(9, notes), desk.worker, { limit: 3 }));
  await flush();
  await desk.finish("a");
  await desk.fail("c", new Error("c is broken"));
  observe([ended.state, desk.inputs, described(desk.calls[0].signal.reason)]);
  await desk.fail("b", new Error("b is broken too"));
  observe(ended.state);
  await desk.finish("d");
  observe([ended, desk.inputs]);
  observe(notes);
}

export async function failures_of_other_kinds(observe) {
  const called = [];
  const synchronous = (input) => {
    called.push(input);
    if (input === "b") throw new RangeError("no b");
    return input;
  };
  observe([await settled(promisePool(["a", "b", "c"], synchronous, { limit: 1 })), called]);

  const desk = new Desk();
  const ended = watch(promisePool(["a", "b"], desk.worker));
  await flush();
  await desk.fail("a", undefined);
  const before = ended.state;
  await desk.finish("b");
  observe([before, ended]);

  observe(await settled(promisePool([1, 2, 3], () => Promise.reject(0), { limit: 2 })));
}

export async function failing_inputs(observe) {
  const desk = new Desk();
  const notes = [];
  const inputs = letters(9, notes, {
    isAsync: true,
    onNext: (taken) => (taken === 2 ? Promise.reject(new Error("no more input")) : undefined),
  });
  const ended = watch(promisePool(inputs, desk.worker, { limit: 4 }));
  await flush();
  observe([ended.state, desk.inputs, desk.calls.map((call) => call.signal.aborted)]);
  await desk.finish("a");
  await desk.fail("b", new Error("aborted"));
  observe([ended, notes]);

  const broken = {
    [Symbol.iterator]() {
      throw new Error("cannot be read");
    },
  };
  observe(await settled(promisePool(broken, desk.worker)));
}

export async function progress(observe) {
  const desk = new Desk();
  const seen = [];
  const onProgress = (event) => seen.push(event);
  const ended = watch(promisePool(["a", "b", "c", "d"], desk.worker, { limit: 2, onProgress }));
  await flush();
  await desk.finish("b");
  await desk.finish("a");
  await desk.fail("c", new Error("stop"));
  await desk.finish("d");
  observe(seen);
  observe(ended);

  const unknown = [];
  await settled(
    promisePool(letters(2, []), () => "x", { onProgress: ({ completed, total }) => unknown.push([completed, total]) }),
  );
  observe(unknown);
}

export async function failing_progress(observe) {
  const desk = new Desk();
  const notes = [];
  let calls = 0;
  const onProgress = ({ completed }) => {
    calls += 1;
    if (completed === 2) throw new Error("terminal is gone");
  };
  const ended = watch(promisePool(letters(9, notes), desk.worker, { limit: 2, onProgress }));
  await flush();
  await desk.finish("a");
  await desk.finish("b");
  observe([ended.state, desk.inputs]);
  await desk.finish("c");
  observe([ended, calls, notes.at(-1)]);
}

export async function abort(observe) {
  const desk = new Desk();
  const notes = [];
  const controller = new AbortController();
  const { signal } = controller;
  const ended = watch(promisePool(letters(9, notes), desk.worker, { limit: 2, signal }));
  await flush();
  await desk.finish("a");
  controller.abort("closing time");
  await flush();
  observe([ended.state, desk.calls.map((call) => call.signal.reason)]);
  await desk.fail("b", new Error("interrupted"));
  await desk.finish("c");
  observe([ended, desk.inputs, notes]);

  const untouched = [];
  observe(await settled(promisePool(letters(3, untouched), desk.worker, { signal })));
  observe(untouched.length + desk.calls.length);

  // All workers have started, so only the waiting can be interrupted.
  const last = new Desk();
  const other = new AbortController();
  const exhausted = [];
  const lastEnded = watch(promisePool(letters(2, exhausted), last.worker, { signal: other.signal }));
  await flush();
  other.abort(new Error("late"));
  await last.finish("a");
  await last.finish("b");
  observe([lastEnded, exhausted]);
}

export async function inputs_that_never_answer(observe) {
  const never = () => new Promise(() => {});
  const silent = (notes) =>
    letters(9, notes, { isAsync: true, onNext: (taken) => (taken === 2 ? never() : undefined) });

  const desk = new Desk();
  const notes = [];
  const controller = new AbortController();
  const ended = watch(promisePool(silent(notes), desk.worker, { signal: controller.signal }));
  await flush();
  controller.abort(new Error("enough"));
  await desk.finish("a");
  await desk.finish("b");
  observe([ended, notes]);

  // Its return() waits for the pending next(), and so for ever.
  async function* generated() {
    yield "g";
    yield "h";
    await never();
  }
  const other = new Desk();
  const failed = watch(promisePool(generated(), other.worker));
  await flush();
  await other.fail("h", new Error("h failed"));
  await other.finish("g");
  observe(failed);

  const closing = letters(9, []);
  closing[Symbol.iterator]().return = () => {
    throw new Error("return failed");
  };
  observe(await settled(promisePool(closing, () => Promise.reject(new Error("worker failed")), { limit: 1 })));
}

export async function listeners_and_wrong_arguments(observe) {
  const { signal } = new AbortController();
  const during = [];
  const listeners = () => getEventListeners(signal, "abort").length;
  const workerSignals = [];
  const worker = (input, _index, workerSignal) => {
    workerSignals.push(workerSignal);
    during.push(listeners() > 0);
    if (input === "bad") throw new Error("bad input");
    return input;
  };
  const fine = await settled(promisePool(["a", "b"], worker, { signal, limit: 1 }));
  observe([fine, listeners(), workerSignals[0]?.aborted]);
  const failed = await settled(promisePool(["bad", "b"], worker, { signal, limit: 1 }));
  observe([failed, listeners(), workerSignals.at(-1)?.aborted]);
  observe(during);

  const kinds = [];
  const notes = [];
  const refuse = async (...args) => {
    try {
      kinds.push((await settled(promisePool(...args))).error?.split(":")[0] ?? "accepted");
    } catch (error) {
      kinds.push(`thrown synchronously: ${error.name}`);
    }
  };
  const aborted = AbortSignal.abort(new Error("aborted"));
  for (const wrong of [0, -1, 1.5, NaN, "4", null]) {
    await refuse(letters(2, notes), worker, { limit: wrong, signal: aborted });
  }
  for (const wrong of [undefined, null, "worker", {}]) await refuse(letters(2, notes), wrong, { signal: aborted });
  for (const wrong of [undefined, null, 5, {}, { next() {} }]) await refuse(wrong, worker, { signal: aborted });
  observe(kinds);
  observe(notes.length);
}
