import { systemClock } from "./clock.js";
import { WaitTimeoutError } from "./errors.js";

/** Calls the condition until it returns, or promises, a truthy value; resolves with that value. */
export function waitFor(condition, { timeout = 1000, interval = 50, clock = systemClock, signal } = {}) {
  throw new Error("waitFor is not written yet");
}
