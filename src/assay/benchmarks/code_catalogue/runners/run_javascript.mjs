// Runs all tests of a JavaScript task: exported functions of tests.mjs whose names are on the command line.
// Standard input holds the nonce that begins every line of the report; it is read before anything is imported.

import { readFileSync, writeSync } from "node:fs";

const nonce = readFileSync(0, "utf8").trim();
const [file, ...names] = process.argv.slice(2);
const { stringify } = JSON;
const encoder = new TextEncoder();

function write(text) {
  // The line begins with a line break, since other prints may have ended without one.
  let rest = encoder.encode(`\n@${nonce} ${text}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // `console.log` makes the pipe non-blocking: it may be full.
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function plain(value) {
  if (value === undefined) return "undefined";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}

// Reports what a test observed; the values are compared with the expected ones outside.
function observe(value) {
  write(`value ${stringify(value, (_key, inner) => plain(inner)) ?? '"<not a value>"'}`);
}

function report(kind, error) {
  if (error === undefined) observe("threw nothing");
  else observe(error instanceof kind ? kind.name : `threw ${error?.name ?? typeof error}`);
}

// Reports the name of the class if the call throws an instance of it, else what happened instead.
observe.throws = (kind, call) => {
  let thrown;
  try {
    call();
  } catch (error) {
    thrown = error ?? null;
  }
  report(kind, thrown);
};

observe.rejects = async (kind, call) => {
  let thrown;
  try {
    await call();
  } catch (error) {
    thrown = error ?? null;
  }
  report(kind, thrown);
};

process.on("uncaughtException", (error) => {
  write(`error ${stringify(`uncaught: ${error}`.slice(0, 500))}`);
  process.exit(1);
});

for (const name of names) {
  write(`start ${name}`);
  try {
    const tests = await import(file);
    await tests[name](observe);
    write(`end ${name}`);
  } catch (error) {
    write(`error ${stringify(`${error?.name ?? "Error"}: ${error?.message ?? error}`.slice(0, 500))}`);
  }
}
write("done");
process.exit(0);
