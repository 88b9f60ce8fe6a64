#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";

import { UsageError } from "../src/errors.js";
import { run } from "../src/run.js";

const FILE = "todo.json";

function read() {
  try {
    return JSON.parse(readFileSync(FILE, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

try {
  const today = new Date().toISOString().slice(0, 10);
  const { todos, output } = run(process.argv.slice(2), read(), today);
  writeFileSync(FILE, `${JSON.stringify(todos, null, 2)}\n`);
  console.log(output);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`todo: ${error.message}`);
  process.exitCode = 2;
}
