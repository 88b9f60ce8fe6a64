import { Worker } from "node:worker_threads";

import { ClosedError, JobError, ThreadEndedError } from "./errors.js";

const MAIN = new URL("./worker-main.js", import.meta.url);

/** Executes jobs on a limited number of worker threads, the most urgent first. */
export class WorkerScheduler {
  #module;
  #most;
  #threads = new Set();
  // By descending priority, and in the order of arrival among equal ones.
  #queue = [];
  #isClosing = false;
  #closing = [];

  constructor(module, { threads = 1 } = {}) {
    if (!Number.isInteger(threads) || threads < 1) {
      throw new RangeError(`threads must be a whole number from 1 on, not ${String(threads)}`);
    }
    this.#module = String(module);
    this.#most = threads;
  }

  /** What the job returns. */
  async run(payload, { priority = 0, signal } = {}) {
    if (this.#isClosing) throw new ClosedError();
    if (!Number.isFinite(priority)) throw new TypeError("the priority must be a finite number");
    signal?.throwIfAborted();
    const job = new Job(structuredClone(payload), priority);
    const onAbort = () => this.#abort(job, signal.reason);
    signal?.addEventListener("abort", onAbort);
    const place = this.#queue.findIndex((other) => other.priority < priority);
    this.#queue.splice(place < 0 ? this.#queue.length : place, 0, job);
    this.#dispatch();
    try {
      return await job.result;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** How many jobs are running and queued, and how many threads exist. */
  stats() {
    const running = [...this.#threads].filter((thread) => thread.job !== undefined).length;
    return { running, queued: this.#queue.length, threads: this.#threads.size };
  }

  /** Resolves when no thread exists any more; takes no further jobs. */
  close({ cancel = false } = {}) {
    this.#isClosing = true;
    if (cancel) {
      for (const job of this.#queue.splice(0)) job.reject(new ClosedError());
      for (const thread of this.#threads) thread.stop(new ClosedError());
    }
    return new Promise((resolve) => {
      this.#closing.push(resolve);
      this.#dispatch();
    });
  }

  #abort(job, reason) {
    const place = this.#queue.indexOf(job);
    if (place >= 0) {
      this.#queue.splice(place, 1);
      job.reject(reason);
      return;
    }
    for (const thread of this.#threads) {
      if (thread.job === job) thread.stop(reason);
    }
  }

  /** Gives queued jobs to threads as far as possible. */
  #dispatch() {
    while (this.#queue.length > 0) {
      const thread = this.#idleThread();
      if (thread === undefined) return;
      thread.start(this.#queue.shift());
    }
    if (!this.#isClosing) return;
    for (const thread of this.#threads) {
      if (thread.job === undefined) thread.stop();
    }
    if (this.#threads.size === 0) {
      for (const resolve of this.#closing.splice(0)) resolve();
    }
  }

  #idleThread() {
    for (const thread of this.#threads) {
      if (thread.isIdle) return thread;
    }
    // Threads that are being terminated still exist, and count.
    if (this.#threads.size >= this.#most) return undefined;
    const thread = new Thread(this.#module, {
      onIdle: () => this.#dispatch(),
      onExit: () => {
        this.#threads.delete(thread);
        this.#dispatch();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

class Job {
  constructor(payload, priority) {
    this.payload = payload;
    this.priority = priority;
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** A worker thread and the job that it executes. */
class Thread {
  #worker;
  #onIdle;
  #stopped;
  #cause;
  #lastId = 0;

  job = undefined;

  constructor(module, { onIdle, onExit }) {
    this.#onIdle = onIdle;
    this.#worker = new Worker(MAIN, { workerData: { module } });
    this.#worker.on("message", (answer) => this.#end(answer));
    this.#worker.on("error", (error) => {
      this.#cause = error;
    });
    this.#worker.on("exit", (exitCode) => {
      const { job } = this;
      this.job = undefined;
      job?.reject(this.#stopped === undefined ? new ThreadEndedError(exitCode, this.#cause) : this.#stopped.reason);
      onExit();
    });
  }

  get isIdle() {
    return this.job === undefined && this.#stopped === undefined;
  }

  start(job) {
    this.job = job;
    this.#lastId += 1;
    this.#worker.postMessage({ id: this.#lastId, payload: job.payload });
  }

  /** Terminates the thread; the job that it executes is rejected when it has ended. */
  stop(reason) {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason };
    this.#worker.terminate();
  }

  #end({ id, value, error }) {
    // The answer of a job that is being aborted comes too late.
    if (this.#stopped !== undefined || id !== this.#lastId) return;
    const { job } = this;
    this.job = undefined;
    if (error === undefined) job.resolve(value);
    else job.reject(new JobError(error));
    this.#onIdle();
  }
}
