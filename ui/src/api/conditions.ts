const WORDS: Readonly<Record<string, string>> = {
  benchmark: "benchmark",
  benchmark_version: "version of the benchmark",
  mode: "protocol",
  data_revision: "revision of the data",
  data_checksum: "data",
  items_checksum: "items that were asked",
  prompts_checksum: "prompts",
  grader: "version of the grader",
  generation: "settings of the generation",
  limits: "limits of the sandbox",
  samples: "samples per item",
  judge: "judge",
  user: "model that plays the user",
  agent: "agent",
};

/** Parts of a fingerprint in words: what keeps two scores from being compared. */
export function conditionsOf(fields: readonly string[]): string {
  const words = fields.map((field) => WORDS[field] ?? field);
  const last = words.at(-1) ?? "";
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${last}` : last;
}
