import type { RunDetail } from "../api/client";
import { isLive } from "../api/queries";
import { count } from "../format";
import { stateLabel } from "../ui/StatusMark";

type Named = Pick<RunDetail, "models" | "selected_benchmarks">;

/** "5 models on quiz": what a run is, in a few words. */
export function runTitle({ models, selected_benchmarks: benchmarks }: Named): string {
  const [model = ""] = models;
  return `${models.length === 1 ? model : `${count(models.length)} models`} on ${benchmarksTitle(benchmarks)}`;
}

export function benchmarksTitle(benchmarks: readonly string[]): string {
  return benchmarks.length <= 2 ? benchmarks.join(", ") : `${count(benchmarks.length)} benchmarks`;
}

/** The same for a tab: the progress first, because the end of a title is cut off. */
export function tabTitle(run: Named & Pick<RunDetail, "status" | "progress" | "is_interrupted">): string {
  const { models, status, progress, is_interrupted: isInterrupted } = run;
  const percent = `${Math.floor((100 * progress.completed) / Math.max(1, progress.total))} %`;
  const short = models.map((model) => model.slice(model.lastIndexOf("/") + 1));
  const title = runTitle({ models: short, selected_benchmarks: run.selected_benchmarks });
  if (isInterrupted) return `Interrupted at ${percent} · ${title}`;
  if (status === "paused") return `Paused at ${percent} · ${title}`;
  if (isLive(status)) return `${status === "queued" ? "Queued" : percent} · ${title}`;
  return `${status === "succeeded" ? "Done" : stateLabel(status)} · ${title}`;
}
