import type { LoadSpec, LoadTestDetail } from "../api/load";
import { count, duration } from "../format";

const SHOWN_STAGES = 6;

/** The loads of a test in a few words: "closed, 1, 4, 16 clients". */
export function stagesText({ loop, stages }: Pick<LoadSpec, "loop" | "stages">): string {
  const texts = stages.map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`));
  const named = texts.length > SHOWN_STAGES ? [...texts.slice(0, SHOWN_STAGES), "…"] : texts;
  return `${named.join(", ")} ${loop === "open" ? "requests/s" : "clients"}`;
}

export function axisOf(loop: LoadSpec["loop"]): string {
  return loop === "open" ? "requests due per second" : "concurrent clients";
}

/** How many of the levels the generator may have distorted. */
export function doubtful(levels: number, all: number): string {
  return levels === 0 ? "none" : `${count(levels)} of ${count(all)}`;
}

const ENDINGS: Record<LoadTestDetail["ending"], string> = {
  finished: "after all load levels",
  "max-requests": "early, at the limit of requests",
  "max-duration": "early, at the time limit",
  budget: "early, at the budget limit",
  interrupted: "early, stopped by the user",
};

/** What was asked for and how it ended, as names and values. */
export function factsOf({ spec, endpoint, ending, ...test }: LoadTestDetail): Record<string, string | null> {
  const replies = spec.output_tokens ? `up to ${spec.output_tokens} tokens` : null;
  return {
    Endpoint: endpoint,
    Loop: spec.loop === "open" ? `open, ${spec.spacing} arrivals` : "closed",
    "Each load": `${duration(spec.stage_s * 1000)}${spec.stage_requests ? `, at most ${count(spec.stage_requests)} requests` : ""}`,
    Prompts: spec.prompts ? `from ${spec.prompts}` : `${spec.prompt_tokens} tokens`,
    Replies: replies && (spec.ignore_eos ? `${replies}, no earlier end` : replies),
    "Goodput limits": spec.goodput,
    "Warm-up": `${count(spec.warm_up)} requests`,
    Ended: ENDINGS[ending],
    Requests: count(test.requests),
    Tokens: test.tokens === null ? "not reported" : count(test.tokens),
    Seed: spec.seed,
    Version: test.code_version || null,
  };
}
