/** A job threw an error, or what it returned cannot be sent to another thread. */
export class JobError extends Error {
  constructor({ name, message }) {
    super(`${name}: ${message}`);
    this.name = "JobError";
  }
}

/** A thread ended while it executed a job. */
export class ThreadEndedError extends Error {
  constructor(exitCode, cause) {
    super(`the thread ended with exit code ${exitCode}`, { cause });
    this.name = "ThreadEndedError";
    this.exitCode = exitCode;
  }
}

/** The scheduler takes no jobs any more, or has cancelled those that it had. */
export class ClosedError extends Error {
  constructor() {
    super("the scheduler is closed");
    this.name = "ClosedError";
  }
}
