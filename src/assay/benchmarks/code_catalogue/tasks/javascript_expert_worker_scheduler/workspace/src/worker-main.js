import { parentPort, workerData } from "node:worker_threads";

const { default: execute } = await import(workerData.module);

parentPort.on("message", async ({ id, payload }) => {
  try {
    parentPort.postMessage({ id, value: await execute(payload) });
  } catch (error) {
    const name = error?.name ?? typeof error;
    const message = error?.message ?? String(error);
    parentPort.postMessage({ id, error: { name, message } });
  }
});
