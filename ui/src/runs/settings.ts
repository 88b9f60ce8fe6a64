import type { EvaluationDetail } from "../api/client";

const NAMES: Record<string, string> = {
  max_tokens: "at most",
  top_p: "top-p",
  reasoning_effort: "reasoning effort",
};

/** How the model was asked, as far as the run says so; the rest is up to the endpoint. */
export function settingsOf(generation: EvaluationDetail["generation"]): string[] {
  return Object.entries(generation).flatMap(([name, value]) => {
    if (value === null || (typeof value === "object" && Object.keys(value).length === 0)) return [];
    if (name === "max_tokens") return [`at most ${Number(value).toLocaleString("en-US")} tokens`];
    const said = typeof value === "object" ? JSON.stringify(value) : String(value);
    return [`${NAMES[name] ?? name.replaceAll("_", " ")} ${said}`];
  });
}
