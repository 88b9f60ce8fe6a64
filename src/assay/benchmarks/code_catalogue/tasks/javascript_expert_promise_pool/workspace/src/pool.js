/** The results of the worker for all inputs, in their order, with at most `limit` calls in progress. */
export async function promisePool(inputs, worker, { limit = 8, signal, onProgress } = {}) {
  throw new Error("promisePool is not written yet");
}
