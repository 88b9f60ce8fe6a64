import type { CodeBoard } from "../api/code";

/** What the runs of a board have in common. */
export function conditionsOf({ tasks, is_whole, data, samples, temperature, options }: CodeBoard): string {
  return [
    is_whole ? `all ${tasks} tasks` : `${tasks} ${tasks === 1 ? "task" : "tasks"}`,
    ...(data === "official" ? [] : [`of ${data}`]),
    `${samples} ${samples === 1 ? "sample" : "samples"} each`,
    temperature === null ? "the models’ own temperature" : `temperature ${temperature}`,
    options.length > 0 ? options.join(", ") : "no options",
  ].join(" · ");
}
