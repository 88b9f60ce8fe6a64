import { systemClock } from "./clock.js";
import { WaitTimeoutError } from "./errors.js";

/** Calls the condition until it returns, or promises, a truthy value; resolves with that value. */
export async function waitFor(condition, { timeout = 1000, interval = 50, clock = systemClock, signal } = {}) {
  check(condition, timeout, interval);
  signal?.throwIfAborted();

  const deadline = clock.now() + timeout;
  let attempts = 0;
  let cause;
  let limitTimer;
  let pauseTimer;
  let onAbort;
  let hasEnded = false;

  const timeoutError = () => new WaitTimeoutError({ timeout, attempts, cause });

  const stopped = new Promise((_resolve, reject) => {
    // A longer delay than a timer can have would end at once.
    if (timeout !== Infinity) limitTimer = clock.setTimeout(() => reject(timeoutError()), timeout);
    onAbort = () => reject(signal.reason);
    signal?.addEventListener("abort", onAbort);
  });

  const poll = async () => {
    while (!hasEnded) {
      attempts += 1;
      try {
        const value = await condition();
        if (value) return value;
        cause = undefined;
      } catch (error) {
        cause = error;
      }
      if (hasEnded) return undefined;
      if (clock.now() + interval >= deadline) return stopped;
      await new Promise((resolve) => {
        pauseTimer = clock.setTimeout(resolve, interval);
      });
    }
    return undefined;
  };

  try {
    return await Promise.race([poll(), stopped]);
  } finally {
    hasEnded = true;
    clock.clearTimeout(limitTimer);
    clock.clearTimeout(pauseTimer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function check(condition, timeout, interval) {
  if (typeof condition !== "function") throw new TypeError("the condition must be a function");
  if (typeof timeout !== "number") throw new TypeError("the timeout must be a number");
  if (typeof interval !== "number") throw new TypeError("the interval must be a number");
  if (!(timeout >= 0)) throw new RangeError(`the timeout must not be negative: ${timeout}`);
  if (!(interval > 0 && interval < Infinity)) throw new RangeError(`the interval must be greater than 0: ${interval}`);
}
