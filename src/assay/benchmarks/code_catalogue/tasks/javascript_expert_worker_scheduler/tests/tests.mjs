import { getEventListeners } from "node:events";

import { WorkerScheduler } from "/workspace/src/scheduler.js";

const JOBS = new URL("file:///tests/jobs.mjs");
const LONGEST_WAIT = 10_000;

/** What a promise ends in, waiting no longer than is reasonable. */
async function ending(promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, LONGEST_WAIT, "timed out");
  });
  const ended = promise.then(
    (value) => ({ value }),
    (error) => ({ error: described(error) }),
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

const endings = (promises) => Promise.all(promises.map(ending));

function described(error) {
  if (!(error instanceof Error)) return `${typeof error} ${String(error)}`;
  const cause = error.cause === undefined ? "" : ` (${error.cause.message})`;
  return `${error.name}: ${error.message}${cause}`;
}

/** Polls until something holds; says so if it does not. */
async function until(condition) {
  const end = Date.now() + LONGEST_WAIT;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`timed out until ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const shared = () => new Int32Array(new SharedArrayBuffer(4 * 200));
const began = (cells) => Atomics.load(cells, 0);
const order = (cells) => [...cells.slice(10, 10 + began(cells))];

function open(cells, ...numbers) {
  for (const number of numbers) {
    Atomics.store(cells, 100 + number, 1);
    Atomics.notify(cells, 100 + number);
  }
}

/** Runs a test with a scheduler that is closed in any case. */
async function withScheduler(options, test, module = JOBS) {
  const scheduler = new WorkerScheduler(module, options);
  try {
    await test(scheduler);
  } finally {
    await ending(scheduler.close({ cancel: true }));
  }
}

export async function jobs_run_in_threads(observe) {
  await withScheduler({ threads: 2 }, async (scheduler) => {
    const cells = shared();
    const gates = [1, 2].map((number) => scheduler.run({ kind: "gate", cells, number }));
    await until(() => began(cells) >= 2);
    observe(order(cells).sort());
    open(cells, 1, 2);
    const found = await endings(gates);
    observe(found.map(({ value }) => value?.number));
    observe(new Set(found.map(({ value }) => value?.threadId)).size);
    const { value } = await ending(scheduler.run({ kind: "where" }));
    observe([value?.isMainThread, value?.hasId, found.some((one) => one.value?.threadId === value?.threadId)]);
    observe(await ending(scheduler.run({ kind: "later", value: { list: [1, "two"], none: null } })));
    const { value: date } = await ending(scheduler.run({ kind: "echo", value: new Date(86_400_000) }));
    observe(date instanceof Date && date.toISOString());
    observe(await ending(scheduler.run({ kind: "echo" })));
  });
  await withScheduler(
    undefined,
    async (scheduler) => {
      observe(await ending(scheduler.run({ kind: "echo", value: "by text" })));
      observe(scheduler.stats());
    },
    JOBS.href,
  );
}

export async function threads_start_on_demand(observe) {
  await withScheduler({ threads: 3 }, async (scheduler) => {
    observe(scheduler.stats());
    const seen = [];
    for (let count = 0; count < 4; count += 1) {
      const { value } = await ending(scheduler.run({ kind: "where" }));
      seen.push(value?.threadId);
    }
    observe([seen.length, new Set(seen).size, scheduler.stats()]);
    const cells = shared();
    const gates = [1, 2].map((number) => scheduler.run({ kind: "gate", cells, number }));
    observe(scheduler.stats());
    open(cells, 1, 2);
    await endings(gates);
    observe(scheduler.stats());
  });
}

export async function limit_of_threads(observe) {
  await withScheduler({ threads: 3 }, async (scheduler) => {
    const cells = shared();
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    const gates = numbers.map((number) => scheduler.run({ kind: "gate", cells, number }));
    await until(() => began(cells) >= 3);
    observe([order(cells).sort(), scheduler.stats()]);
    open(cells, 2);
    await until(() => began(cells) >= 4);
    observe([order(cells).at(-1), scheduler.stats()]);
    open(cells, ...numbers);
    observe((await endings(gates)).map(({ value }) => value?.number));
    observe([Atomics.load(cells, 2), scheduler.stats()]);
  });
}

export async function priorities(observe) {
  await withScheduler({ threads: 1 }, async (scheduler) => {
    const cells = shared();
    const first = scheduler.run({ kind: "gate", cells, number: 1 }, { priority: -100 });
    const urgent = [0, 5, -1, 5, undefined, 10, 0.5, -1, 5];
    const queued = urgent.map((priority, index) =>
      scheduler.run({ kind: "note", cells, number: index + 2 }, priority === undefined ? undefined : { priority }),
    );
    await until(() => began(cells) >= 1);
    observe(scheduler.stats());
    open(cells, 1);
    observe((await endings([first, ...queued])).map(({ value }) => value?.number ?? value));
    observe(order(cells));
  });
  await withScheduler({ threads: 1 }, async (scheduler) => {
    const cells = shared();
    const gate = (number, priority) => scheduler.run({ kind: "gate", cells, number }, { priority });
    const jobs = [gate(1, 0), gate(2, 1), gate(3, 3)];
    await until(() => began(cells) >= 1);
    open(cells, 1);
    await until(() => began(cells) >= 2);
    jobs.push(gate(4, 2), gate(5, 1), gate(6, 2));
    open(cells, 2, 3, 4, 5, 6);
    await endings(jobs);
    observe(order(cells));
  });
}

export async function payloads(observe) {
  await withScheduler({ threads: 1 }, async (scheduler) => {
    const cells = shared();
    const gate = scheduler.run({ kind: "gate", cells, number: 1 });
    const payload = { kind: "echo", value: { pages: [1, 2] } };
    const echo = scheduler.run(payload);
    payload.value.pages.push(3);
    payload.kind = "fail";
    observe(scheduler.stats());
    open(cells, 1);
    const [, ended] = await endings([gate, echo]);
    observe(ended);
    observe(await ending(scheduler.run({ kind: "echo", value: () => {} }).catch((error) => error.name)));
    observe(await ending(scheduler.run({ kind: "echo", value: "the next one" })));
    observe(scheduler.stats());
  });
}

export async function failing_jobs(observe) {
  await withScheduler({ threads: 1 }, async (scheduler) => {
    const before = await ending(scheduler.run({ kind: "where" }));
    observe(
      await endings([
        scheduler.run({ kind: "fail", message: "page 12 is missing" }),
        scheduler.run({ kind: "failOtherwise" }),
        scheduler.run({ kind: "echo", value: "in between" }),
      ]),
    );
    const { error } = await ending(scheduler.run({ kind: "uncopiable" }));
    observe(error?.split(" ").slice(0, 2).join(" "));
    const after = await ending(scheduler.run({ kind: "where" }));
    observe([before.value?.threadId === after.value?.threadId, scheduler.stats()]);
  });
}

export async function threads_that_end(observe) {
  await withScheduler({ threads: 2 }, async (scheduler) => {
    const cells = shared();
    const gate = scheduler.run({ kind: "gate", cells, number: 1 });
    const jobs = [
      scheduler.run({ kind: "exit", code: 3 }),
      scheduler.run({ kind: "crash", message: "out of ink" }),
      scheduler.run({ kind: "echo", value: "after both" }),
    ];
    observe(await endings(jobs));
    open(cells, 1);
    const { value } = await ending(gate);
    observe(value?.number);
    observe(scheduler.stats());
  });
}

export async function modules_that_cannot_be_loaded(observe) {
  await withScheduler(
    { threads: 1 },
    async (scheduler) => {
      const ended = await endings([1, 2, 3].map((value) => scheduler.run({ kind: "echo", value })));
      observe(ended.map(({ error }) => error?.split(" (")[0]));
      observe(scheduler.stats());
    },
    new URL("file:///tests/missing.mjs"),
  );
}

export async function idle_threads_that_end(observe) {
  await withScheduler({ threads: 1 }, async (scheduler) => {
    observe(await ending(scheduler.run({ kind: "crashWhenIdle" })));
    await until(() => scheduler.stats().threads === 0);
    observe(await ending(scheduler.run({ kind: "echo", value: "new thread" })));
    observe(scheduler.stats());
  });
}

export async function abort_of_queued_jobs(observe) {
  await withScheduler({ threads: 1 }, async (scheduler) => {
    const cells = shared();
    const controllers = [1, 2, 3, 4].map(() => new AbortController());
    const jobs = controllers.map(({ signal }, index) =>
      scheduler.run({ kind: "gate", cells, number: index + 1 }, { signal }),
    );
    await until(() => began(cells) >= 1);
    controllers[2].abort(new Error("scrolled away"));
    observe(await ending(jobs[2]));
    observe(scheduler.stats());
    const early = scheduler.run(
      { kind: "note", cells, number: 9 },
      { signal: AbortSignal.abort("too early"), priority: 9 },
    );
    observe(await ending(early));
    open(cells, 1, 2, 3, 4);
    observe((await endings(jobs)).map(({ value, error }) => value?.number ?? error));
    observe(order(cells));
    observe(controllers.map(({ signal }) => getEventListeners(signal, "abort").length));
  });
}

export async function abort_of_running_jobs(observe) {
  await withScheduler({ threads: 2 }, async (scheduler) => {
    const cells = shared();
    const controller = new AbortController();
    const { signal } = controller;
    const gate = scheduler.run({ kind: "gate", cells, number: 1 });
    const spin = scheduler.run({ kind: "spin", cells, number: 2 }, { signal });
    const next = scheduler.run({ kind: "note", cells, number: 3 });
    await until(() => began(cells) >= 2 && Atomics.load(cells, 3) > 0);
    controller.abort(new Error("page was closed"));
    observe(await ending(spin));
    const counted = Atomics.load(cells, 3);
    observe(await ending(next));
    await new Promise((resolve) => setTimeout(resolve, 20));
    observe(Atomics.load(cells, 3) - counted);
    open(cells, 1);
    observe((await ending(gate)).value?.number);
    observe([getEventListeners(signal, "abort").length, scheduler.stats().running, order(cells).at(-1)]);
  });
}

export async function close_waits_for_jobs(observe) {
  await withScheduler({ threads: 2 }, async (scheduler) => {
    const cells = shared();
    const events = [];
    const numbers = [1, 2, 3, 4];
    const jobs = numbers.map((number) =>
      scheduler.run({ kind: "gate", cells, number }).then((value) => {
        events.push("job");
        return value;
      }),
    );
    const closes = [scheduler.close(), scheduler.close()].map((closed) => closed.then(() => events.push("closed")));
    observe(await ending(scheduler.run({ kind: "echo", value: "late" }, { priority: NaN })));
    await until(() => began(cells) >= 2);
    observe([scheduler.stats(), events.length]);
    open(cells, ...numbers);
    observe((await endings(jobs)).map(({ value }) => value?.number));
    await endings(closes);
    observe([events, scheduler.stats()]);
    observe(await ending(scheduler.run({ kind: "echo", value: "later still" })));
  });
  await withScheduler({ threads: 2 }, async (scheduler) => {
    await ending(scheduler.close());
    observe(scheduler.stats());
  });
}

export async function close_cancels_jobs(observe) {
  await withScheduler({ threads: 1 }, async (scheduler) => {
    const cells = shared();
    const { signal } = new AbortController();
    const jobs = [
      scheduler.run({ kind: "spin", cells, number: 1 }, { signal }),
      scheduler.run({ kind: "note", cells, number: 2 }, { signal }),
      scheduler.run({ kind: "note", cells, number: 3 }),
    ];
    await until(() => began(cells) >= 1);
    const patient = scheduler.close();
    const closed = scheduler.close({ cancel: true });
    observe(await endings(jobs));
    const counted = Atomics.load(cells, 3);
    await endings([patient, closed]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    observe([order(cells), Atomics.load(cells, 3) - counted, scheduler.stats()]);
    observe(getEventListeners(signal, "abort").length);
  });
}

export async function wrong_arguments(observe) {
  for (const threads of [0, -2, 1.5, NaN, Infinity, "2", null]) {
    observe.throws(RangeError, () => new WorkerScheduler(JOBS, { threads }));
  }
  await withScheduler({ threads: 1 }, async (scheduler) => {
    for (const priority of [NaN, Infinity, "1", null]) {
      await observe.rejects(TypeError, () => scheduler.run({ kind: "echo" }, { priority }));
    }
    observe(scheduler.stats());
    observe(await ending(scheduler.run({ kind: "echo", value: "still fine" })));
  });
}
