import { expect, test } from "vitest";
import type { State } from "../api/client";
import { byBenchmark, bySort, liveFirst } from "./order";

const run = (id: string, status: State) => ({ id, status });

test("running runs come first, then queued ones, each once", () => {
  const page = [
    run("new", "succeeded"),
    run("waits", "queued"),
    run("runs", "running"),
    run("old", "paused"),
  ];
  const running = [run("runs", "running"), run("ancient", "running")];
  expect(liveFirst(running, page).map(({ id }) => id)).toEqual(["runs", "ancient", "waits", "new", "old"]);
});

test("evaluations of one benchmark stand together, in the order that was asked for", () => {
  const asked = { selected_benchmarks: ["mmlu_pro", "ifeval"], models: ["z", "a"] };
  const stored = [
    { model: "z", benchmark: "mmlu_pro" },
    { model: "z", benchmark: "ifeval" },
    { model: "a", benchmark: "mmlu_pro" },
    { model: "a", benchmark: "ifeval" },
  ];
  expect(byBenchmark(asked, stored).map(({ model, benchmark }) => `${benchmark} ${model}`)).toEqual([
    "mmlu_pro z",
    "mmlu_pro a",
    "ifeval z",
    "ifeval a",
  ]);
});

test("the highest figure comes first and runs without it last", () => {
  const base = { started_at: null, completed_at: null, evaluations: [] };
  const runs = [
    { ...base, id: "unknown", cost_usd: null },
    { ...base, id: "cheap", cost_usd: 0.1 },
    { ...base, id: "dear", cost_usd: 7 },
  ];
  expect(bySort(runs, "cost").map(({ id }) => id)).toEqual(["dear", "cheap", "unknown"]);
});
