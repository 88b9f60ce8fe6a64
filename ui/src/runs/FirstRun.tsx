import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { RunRequest } from "../api/client";
import { benchmarksQuery } from "../api/queries";
import { useStartRun } from "../api/start";
import { Button, buttonClass } from "../ui/Button";
import { Command } from "../ui/Command";
import { EmptyState } from "../ui/EmptyState";
import { Notice } from "../ui/Notice";
import styles from "./RunsPage.module.css";

const MODELS = ["sim/good", "sim/weak"];
/** Benchmarks that need nothing but the model, in the order they are preferred. */
const WANTED = ["mmlu_pro", "ifeval", "gpqa_diamond", "aime_2025"];
const MOST = 2;

/** What a new installation shows: a run that works at once, without a key or a download. */
export function FirstRun() {
  const navigate = useNavigate();
  const start = useStartRun();
  const { data } = useQuery(benchmarksQuery);
  const installed = (data?.benchmarks ?? [])
    .filter(({ needs_setup }) => !needs_setup)
    .map(({ name }) => name);
  const benchmarks = [...WANTED.filter((name) => installed.includes(name)), ...installed].slice(0, MOST);
  const request: RunRequest = {
    models: MODELS,
    selected_benchmarks: [...new Set(benchmarks)],
    config: { data: "demo" },
  };

  return (
    <EmptyState title="No runs yet">
      <p>
        Try it with two simulated models and the demo items that ship with Assay: no key, no download, done in
        seconds.
      </p>
      <div className={styles.firstActions}>
        <Button
          tone="primary"
          icon="play"
          isBusy={start.isPending}
          disabled={benchmarks.length === 0}
          onClick={() =>
            start.mutate(
              { request, key: crypto.randomUUID() },
              { onSuccess: (run) => navigate({ to: "/runs/$runId", params: { runId: run.id } }) },
            )
          }
        >
          Start the demo run
        </Button>
        <Link to="/runs/new" className={buttonClass()}>
          Set up your own
        </Link>
      </div>
      {start.error ? <Notice>{start.error.message}</Notice> : null}
      <p>The same on the command line:</p>
      <Command>{`assay run ${MODELS.join(",")} ${benchmarks.join(",")} --data demo`}</Command>
    </EmptyState>
  );
}
