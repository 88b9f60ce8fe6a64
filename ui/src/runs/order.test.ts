import { expect, test } from "vitest";
import type { State } from "../api/client";
import { byBenchmark, directionOf, liveFirst, nextSort } from "./order";

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

test("the queue is read from its front", () => {
  const page = [run("third", "queued"), run("done", "failed"), run("first", "queued"), run("new", "queued")];
  const places = new Map([
    ["first", 1],
    ["third", 3],
  ]);
  expect(liveFirst([], page, places).map(({ id }) => id)).toEqual(["first", "third", "new", "done"]);
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

test("each click on a column turns its order, the third undoes it", () => {
  expect(nextSort(undefined, "cost")).toBe("-cost");
  expect(nextSort("-cost", "cost")).toBe("cost");
  expect(nextSort("cost", "cost")).toBeUndefined();
  expect(nextSort("cost", "score")).toBe("-score");
  expect(nextSort(undefined, "created")).toBe("created");
});

test("the column that rules says which way", () => {
  expect(directionOf(undefined, "created")).toBe("descending");
  expect(directionOf("created", "created")).toBe("ascending");
  expect(directionOf("-score", "score")).toBe("descending");
  expect(directionOf("-score", "created")).toBeUndefined();
});
