import { expect, test } from "vitest";
import type { FidelityFacts } from "../api/fidelity";
import { fidelitySearch, measuresOf, reachOf } from "./fidelity";

const NOTHING: FidelityFacts = {
  model: "a/m",
  endpoint: null,
  planned: 0,
  answered: 0,
  missing: 0,
  outcomes: {},
  score: null,
  tool_call_accuracy: null,
  cut: 0,
  refused: 0,
  finish_reasons: {},
  input_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
  same_input: null,
  divergence: null,
  served_models: {},
  system_fingerprints: {},
  errors: [],
};

function shown(facts: FidelityFacts): Record<string, string | null> {
  return Object.fromEntries(measuresOf([facts]).map(({ name, of }) => [name, of(facts)]));
}

test("what no model is known of has no row", () => {
  expect(shown(NOTHING)).toEqual({});
});

test("shares are of the replies, and of the plan where they are missing", () => {
  const facts = { ...NOTHING, planned: 40, answered: 20, missing: 20, cut: 5, refused: 1 };
  expect(shown(facts)).toEqual({ Truncated: "25.0\u202f%", Refused: "5.0\u202f%", Missing: "50.0\u202f%" });
});

test("a name that came always stands alone", () => {
  const facts = { ...NOTHING, finish_reasons: { stop: 1200 }, served_models: { m: 1000, "m-fp8": 200 } };
  expect(shown(facts)).toEqual({ "Finish reasons": "stop", "Reported model": "m 1,000, m-fp8 200" });
});

test("answers that are all identical diverge nowhere", () => {
  const divergence = { pairs: 8, identical: 8, median_chars: null };
  expect(shown({ ...NOTHING, divergence })).toEqual({ "Identical answers": "100.0\u202f%" });
});

test("the axis has room for the margin and for every interval", () => {
  const known = { statistics: { interval: { low: -0.2, high: 0.1 } } };
  const unknown = { statistics: null };
  expect(reachOf([unknown], 0.03)).toBeCloseTo(0.045);
  expect(reachOf([unknown, known], 0.03)).toBe(0.2);
});

test("a URL that nobody understands shows the default", () => {
  expect(fidelitySearch({ margin: "7", reference: "" })).toEqual({});
  expect(fidelitySearch({ margin: 5, reference: "a/m" })).toEqual({ margin: "5", reference: "a/m" });
});
