import { Worker } from "node:worker_threads";

import { ClosedError, JobError, ThreadEndedError } from "./errors.js";

const MAIN = new URL("./worker-main.js", import.meta.url);

/** Executes jobs on a limited number of worker threads, the most urgent first. */
export class WorkerScheduler {
  constructor(module, { threads = 1 } = {}) {
    throw new Error("WorkerScheduler is not written yet");
  }

  /** What the job returns. */
  async run(payload, { priority = 0, signal } = {}) {
    throw new Error("run is not written yet");
  }

  /** How many jobs are running and queued, and how many threads exist. */
  stats() {
    throw new Error("stats is not written yet");
  }

  /** Resolves when no thread exists any more; takes no further jobs. */
  async close({ cancel = false } = {}) {
    throw new Error("close is not written yet");
  }
}
