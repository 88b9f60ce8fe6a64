/** The results of the worker for all inputs, in their order, with at most `limit` calls in progress. */
export async function promisePool(inputs, worker, { limit = 8, signal, onProgress } = {}) {
  check(inputs, worker, limit);
  signal?.throwIfAborted();

  const total = Array.isArray(inputs) ? inputs.length : null;
  const stop = new Stop();
  const onAbort = () => stop.because(signal.reason);
  signal?.addEventListener("abort", onAbort);

  const results = [];
  const inProgress = new Set();
  let completed = 0;

  const work = async (input, index) => {
    try {
      const result = await worker(input, index, stop.signal);
      if (stop.isSet) return;
      results[index] = result;
      completed += 1;
      onProgress?.({ completed, total });
    } catch (error) {
      stop.because(error);
    }
  };

  const source = new Source(inputs, stop);
  for (let index = 0; ; index += 1) {
    if (inProgress.size >= limit) await Promise.race([...inProgress, stop.promise]);
    const step = stop.isSet ? undefined : await source.next();
    if (step === undefined) break;
    const call = work(step.value, index).then(() => inProgress.delete(call));
    inProgress.add(call);
  }
  // A failure of the last calls comes too late for the loop, but not for the inputs.
  await Promise.race([Promise.all(inProgress), stop.promise]);
  if (stop.isSet) source.close();
  await Promise.all(inProgress);

  signal?.removeEventListener("abort", onAbort);
  if (stop.isSet) throw stop.reason;
  return results;
}

function check(inputs, worker, limit) {
  if (limit !== Infinity && !(Number.isInteger(limit) && limit >= 1)) {
    throw new RangeError(`the limit must be a whole number from 1 on, or Infinity, not ${String(limit)}`);
  }
  if (typeof worker !== "function") throw new TypeError("the worker must be a function");
  if (typeof (inputs?.[Symbol.asyncIterator] ?? inputs?.[Symbol.iterator]) !== "function") {
    throw new TypeError("the inputs must be iterable");
  }
}

/** The first failure of a pool. */
class Stop {
  #controller = new AbortController();
  #resolve;

  isSet = false;
  reason = undefined;
  promise = new Promise((resolve) => {
    this.#resolve = resolve;
  });

  get signal() {
    return this.#controller.signal;
  }

  because(reason) {
    if (this.isSet) return;
    this.isSet = true;
    this.reason = reason;
    this.#controller.abort(reason);
    this.#resolve();
  }
}

/** Takes one input after the other. */
class Source {
  #inputs;
  #iterator;
  #stop;
  #isAsync;
  #hasEnded = false;

  constructor(inputs, stop) {
    this.#inputs = inputs;
    this.#stop = stop;
    this.#isAsync = inputs[Symbol.asyncIterator] != null;
  }

  /** The next step, or undefined if there is none or the pool stops. */
  async next() {
    const step = await Promise.race([this.#pull(), this.#stop.promise]);
    return this.#stop.isSet ? undefined : step;
  }

  async #pull() {
    try {
      this.#iterator ??= this.#isAsync ? this.#inputs[Symbol.asyncIterator]() : this.#inputs[Symbol.iterator]();
      const pulled = this.#iterator.next();
      const step = this.#isAsync ? await pulled : pulled;
      if (!step.done) return { value: step.value };
      this.#hasEnded = true;
    } catch (error) {
      this.#hasEnded = true;
      this.#stop.because(error);
    }
    return undefined;
  }

  close() {
    if (this.#hasEnded || this.#iterator === undefined) return;
    this.#hasEnded = true;
    try {
      Promise.resolve(this.#iterator.return?.()).catch(() => {});
    } catch {
      // The failure that ended the pool is the one that counts.
    }
  }
}
