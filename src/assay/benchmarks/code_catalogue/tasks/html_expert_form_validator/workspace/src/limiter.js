/** Allows a sender one submission in an interval. */
export class SubmissionLimiter {
  constructor({ now, interval = 5000 }) {
    throw new Error("SubmissionLimiter is not written yet");
  }

  /** Whether the sender may submit now, and otherwise in how many seconds. */
  attempt(key) {
    throw new Error("attempt is not written yet");
  }

  /** The number of senders that have to wait. */
  get size() {
    throw new Error("size is not written yet");
  }
}
