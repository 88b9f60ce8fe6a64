import { expect, test } from "vitest";
import type { RunEstimate } from "../api/client";
import { costText } from "./PreflightList";

const TOKENS = { low: 1, high: 2 };

function evaluation(cost_usd: { low: number; high: number } | null): RunEstimate["evaluations"][number] {
  return {
    model: "sim/good",
    benchmark: "ifeval",
    attempts: 1,
    input_tokens: TOKENS,
    output_tokens: TOKENS,
    cost_usd,
    judging: null,
  };
}

test("the costs of a model are summed over its benchmarks, and unknown if one of them is", () => {
  const one = evaluation({ low: 1, high: 2 });
  expect(costText([one, one])).toBe("$2.00 – $4.00");
  expect(costText([one, evaluation(null)])).toBe("price unknown");
  expect(costText([evaluation({ low: 0, high: 0 })])).toBe("free");
  expect(costText([])).toBe("");
});
