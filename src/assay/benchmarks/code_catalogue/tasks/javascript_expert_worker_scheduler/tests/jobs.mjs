// What the threads execute in the tests: `kind` says what. `cells` is shared memory:
// 0 counts the jobs that began, 1 those that are in progress, 2 is the most of 1, 3 is what spinning counts, 4 gives out places;
// from 10 on the numbers of the jobs in the order in which they began; 100 + number opens the gate of a job.

import { isMainThread, threadId } from "node:worker_threads";

function enter(cells, number) {
  const now = Atomics.add(cells, 1, 1) + 1;
  let most = Atomics.load(cells, 2);
  while (most < now) most = Atomics.compareExchange(cells, 2, most, now) === most ? now : Atomics.load(cells, 2);
  // The number first: whoever sees the count may read it.
  const place = Atomics.add(cells, 4, 1);
  Atomics.store(cells, 10 + place, number);
  Atomics.add(cells, 0, 1);
}

const KINDS = {
  echo: ({ value }) => value,
  where: () => ({ isMainThread, hasId: threadId > 0, threadId }),
  note({ cells, number }) {
    enter(cells, number);
    Atomics.sub(cells, 1, 1);
    return number;
  },
  gate({ cells, number }) {
    enter(cells, number);
    if (!isMainThread) Atomics.wait(cells, 100 + number, 0, 30_000);
    Atomics.sub(cells, 1, 1);
    return { number, threadId };
  },
  spin({ cells, number }) {
    enter(cells, number);
    do Atomics.add(cells, 3, 1);
    while (!isMainThread);
  },
  async later({ value }) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return value;
  },
  fail({ message }) {
    throw new RangeError(message);
  },
  failOtherwise: () => Promise.reject("just a text"),
  uncopiable: () => () => {},
  exit({ code }) {
    if (!isMainThread) process.exit(code);
  },
  crash({ message }) {
    setTimeout(() => {
      if (!isMainThread) throw new Error(message);
    });
    return isMainThread ? "not in a thread" : new Promise(() => {});
  },
  crashWhenIdle() {
    setTimeout(() => {
      if (!isMainThread) throw new Error("idle");
    }, 5);
    return "finished before";
  },
};

export default function execute({ kind, ...payload }) {
  return KINDS[kind](payload);
}
