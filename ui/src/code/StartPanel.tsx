import { useNavigate } from "@tanstack/react-router";
import { useStartCodeRun } from "../api/code";
import { count } from "../format";
import { Button } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import styles from "./LaunchForm.module.css";
import { Refusal } from "./Refusal";
import { attemptsOf, commandOf, levelsOf, type Problems, requestOf } from "./request";
import type { CodeSearch } from "./search";

interface Props {
  search: CodeSearch;
  problems: Problems;
  chosen: readonly string[];
  total: number;
}

/** What the run amounts to, the button that starts it, and the command that does the same. */
export function StartPanel({ search, problems, chosen, total }: Props) {
  const navigate = useNavigate();
  const start = useStartCodeRun();
  const models = search.model?.length ?? 0;
  const isReady = models > 0 && chosen.length > 0 && Object.keys(problems).length === 0;
  // Without a list the server asks all tasks, and the run is ranked among those of all tasks.
  const tasks = chosen.length === total ? undefined : chosen;

  function go() {
    start.mutate(requestOf(search, tasks), {
      onSuccess: ({ run_id: runId }) => navigate({ to: "/runs/$runId/tasks", params: { runId } }),
    });
  }

  return (
    <aside className={styles.panel} aria-label="The run">
      <h2>{isReady ? `${count(attemptsOf(search, chosen.length))} attempts` : "The run"}</h2>
      <p>{isReady ? sumOf(search, chosen.length) : missingPart(models, chosen.length)}</p>
      {isReady && tasks ? <p>Not all tasks: the run is ranked only among runs of the same tasks.</p> : null}
      <Button tone="primary" icon="play" disabled={!isReady} isBusy={start.isPending} onClick={go}>
        Start run
      </Button>
      <Refusal error={start.error} />
      <CodeBlock label="The same run as a command" isCommand>
        {commandOf(search, tasks)}
      </CodeBlock>
    </aside>
  );
}

function missingPart(models: number, tasks: number): string {
  if (models === 0) return tasks === 0 ? "Choose a model and a task." : "Choose a model.";
  return tasks === 0 ? "Choose a task." : "Correct what is marked.";
}

function sumOf(search: CodeSearch, tasks: number): string {
  const levels = levelsOf(search).length;
  const samples = Number(search.samples) || 1;
  const parts = [
    amount(tasks, "task"),
    amount(search.model?.length ?? 0, "model"),
    ...(samples > 1 ? [amount(samples, "sample")] : []),
    ...(levels > 1 ? [amount(levels, "thinking level")] : []),
  ];
  return parts.join(" × ");
}

function amount(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}
