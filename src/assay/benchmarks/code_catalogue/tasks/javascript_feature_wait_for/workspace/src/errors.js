/** A condition did not hold in time. */
export class WaitTimeoutError extends Error {
  constructor({ timeout, attempts, cause }) {
    super(`the condition did not hold within ${timeout} ms (${attempts} ${attempts === 1 ? "attempt" : "attempts"})`, {
      cause,
    });
    this.name = "WaitTimeoutError";
    this.timeout = timeout;
    this.attempts = attempts;
  }
}
