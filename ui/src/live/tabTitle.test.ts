import { expect, test } from "vitest";
import { runTitle, tabTitle } from "./tabTitle";

const RUN: Parameters<typeof tabTitle>[0] = {
  models: ["openai/gpt-5-mini"],
  selected_benchmarks: ["quiz"],
  status: "running",
  is_interrupted: false,
  progress: { completed: 199, total: 200 },
};

test.each<[Partial<typeof RUN>, string]>([
  [{}, "99 % · gpt-5-mini on quiz"],
  [{ status: "queued" }, "Queued · gpt-5-mini on quiz"],
  [{ status: "paused", progress: { completed: 1, total: 3 } }, "Paused at 33 % · gpt-5-mini on quiz"],
  [{ is_interrupted: true }, "Interrupted at 99 % · gpt-5-mini on quiz"],
  [{ status: "succeeded", models: ["a/b", "c/d"] }, "Done · 2 models on quiz"],
  [{ status: "failed", selected_benchmarks: ["x", "y", "z"] }, "Failed · gpt-5-mini on 3 benchmarks"],
])("%o: %s", (change, title) => {
  expect(tabTitle({ ...RUN, ...change })).toBe(title);
});

test("the page itself names the provider too", () => {
  expect(runTitle({ models: ["openai/gpt-5-mini"], selected_benchmarks: ["a", "b"] })).toBe(
    "openai/gpt-5-mini on a, b",
  );
});
