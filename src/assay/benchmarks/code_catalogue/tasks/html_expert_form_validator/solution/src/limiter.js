/** Allows a sender one submission in an interval. */
export class SubmissionLimiter {
  #now;
  #interval;
  // When each sender was last allowed to submit.
  #allowed = new Map();

  constructor({ now, interval = 5000 }) {
    this.#now = now;
    this.#interval = interval;
  }

  /** Whether the sender may submit now, and otherwise in how many seconds. */
  attempt(key) {
    const now = this.#now();
    for (const [other, time] of this.#allowed) {
      if (this.#left(time, now) === 0) this.#allowed.delete(other);
    }
    if (this.#allowed.has(key)) {
      return { allowed: false, retryAfter: Math.ceil(this.#left(this.#allowed.get(key), now) / 1000) };
    }
    this.#allowed.set(key, now);
    return { allowed: true, retryAfter: 0 };
  }

  /** The number of senders that have to wait. */
  get size() {
    const now = this.#now();
    return [...this.#allowed.values()].filter((time) => this.#left(time, now) > 0).length;
  }

  /** Milliseconds until the next attempt is allowed. */
  #left(time, now) {
    return now < time ? 0 : Math.max(0, time + this.#interval - now);
  }
}
