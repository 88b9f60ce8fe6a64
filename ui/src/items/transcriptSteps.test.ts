import { expect, test } from "vitest";
import { turnsOf } from "../api/messages";
import { isFound, laidOutJson, laidOutParts, stepsOf, stepTitle } from "./transcriptSteps";

const TURNS = turnsOf(
  JSON.stringify([
    { role: "user", content: "Mend it." },
    { role: "assistant", content: "Let me look.\nThen I shall see." },
    { role: "user", content: "$ ls\nREADME" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "1", function: { name: "search", arguments: '{"query": "Tide"}' } }],
    },
    { role: "tool", tool_call_id: "1", content: "14:20" },
  ]),
);
const CALL = {
  started_at: "2026-01-01T00:00:00Z",
  duration_ms: 10,
  role: "model",
  status: 200,
  error_code: null,
  error_message: null,
  finish_reason: "stop",
  input_tokens: 1,
  output_tokens: 1,
  reasoning_tokens: null,
  cached_tokens: null,
  reported_cost_usd: null,
  cost_usd: null,
  timing: null,
  served_model: null,
  system_fingerprint: null,
  concurrency: 1,
  arrivals_ms: [],
} as const;

function called(...durations: number[]) {
  const calls = durations.map((duration_ms) => Object.assign({}, CALL, { duration_ms, arrivals_ms: [] }));
  return stepsOf(TURNS, calls).steps.map(({ call }) => call?.duration_ms);
}

test("a step is a message of the model with what came of it", () => {
  const { opening, steps } = stepsOf(TURNS, []);
  expect(opening.map(({ text }) => text)).toEqual(["Mend it."]);
  expect(steps.map(({ turns }) => turns.map(({ role }) => role))).toEqual([
    ["assistant", "user"],
    ["assistant", "tool"],
  ]);
  expect(steps.map(stepTitle)).toEqual(["Let me look.", "search"]);
});

test("a step has its call, also after a first line that took none, and none where it is unclear", () => {
  expect(called(10, 20)).toEqual([10, 20]);
  expect(called(20)).toEqual([undefined, 20]);
  expect(called(10, 15, 20)).toEqual([undefined, undefined]);
});

test("calls that failed, and those of others, are no steps", () => {
  const others = [
    { ...CALL, error_code: "timeout", arrivals_ms: [] },
    { ...CALL, role: "judge" as const, arrivals_ms: [] },
  ];
  const { steps } = stepsOf(TURNS, [...others, { ...CALL, arrivals_ms: [] }, { ...CALL, arrivals_ms: [] }]);
  expect(steps.every(({ call }) => call?.role === "model" && call.error_code === null)).toBe(true);
});

test("texts, tools and what they were called with are searched in any case", () => {
  const { steps } = stepsOf(TURNS, []);
  const found = (search: string) => steps.map((step) => isFound(step, search));
  expect(found("readme")).toEqual([true, false]);
  expect(found("tide")).toEqual([false, true]);
  expect(found("14:20")).toEqual([false, true]);
});

test("arguments of tools have a line each, and code keeps its own", () => {
  expect(laidOutParts('{"code": "import x\\nprint(x)\\n", "n": 1, "to": "b"}')).toBe(
    "code:\nimport x\nprint(x)\nn: 1\nto: b",
  );
  expect(laidOutParts("14:20")).toBe("14:20");
});

test("commands in JSON are laid out, other text is not", () => {
  expect(laidOutJson('```json\n{"a": 1}\n```')).toBe('{\n  "a": 1\n}');
  expect(laidOutJson('{"a": ')).toBeUndefined();
  expect(laidOutJson("plain")).toBeUndefined();
  const [step] = stepsOf(
    turnsOf('[{"role": "assistant", "content": "{\\"n\\": 1, \\"plan\\": \\"look\\"}"}]'),
    [],
  ).steps;
  expect(step && stepTitle(step)).toBe("look");
});
