/** Fields and calls of the API under the names that they have in this interface. */
const WORDS: Readonly<Record<string, string>> = {
  "`config.data`": "“Data”",
  "`config.judge`": "“Judges”",
  "`config.user_model`": "“Simulated user”",
  "`config.base_url`": "“Endpoint URL”",
  "`PATCH /api/runs/{run_id}`": "“Priority, concurrency and budget”",
  "`POST /api/runs/{run_id}/retry`": "“Retry errors”",
  "`POST /api/runs/{run_id}/requeue`": "“Requeue”",
  "`GET /api/benchmarks`": "the page Benchmarks",
  "`GET /admin/datasets`": "the page Data sets",
};

/** A message of the server as a reader of this interface would say it. */
export function inWordsOfTheUi(message: string): string {
  let said = message;
  for (const [word, name] of Object.entries(WORDS)) said = said.replaceAll(word, name);
  return said;
}

/** A sentence with one minus sign, and with figures that stay with their units. */
export function typeset(sentence: string): string {
  return sentence
    .replaceAll(/(?<=^|[\s(])-(?=\d)/g, "\u2212")
    .replaceAll(/(?<=\d) (?=%)/g, "\u202f")
    .replaceAll(/(?<=\d) (?=(?:points?|items?|attempts?|s|ms|min|h|d)\b)/g, "\u00a0")
    .replaceAll(/\bp ([=<]) /g, "p\u00a0$1\u00a0");
}
