import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { RunDetail, State } from "../api/client";
import { type Action, useRunAction } from "../api/control";
import { count } from "../format";
import { isLive } from "../api/queries";
import { missingCount } from "../charts/outcomes";
import { EndNoticeButton } from "../live/EndNoticeButton";
import { Button } from "../ui/Button";
import type { IconName } from "../ui/Icon";
import { Menu, MenuButton } from "../ui/Menu";
import { toast } from "../ui/Toasts";
import { ExportMenu } from "./ExportMenu";
import styles from "./RunControls.module.css";

const CancelDialog = lazy(() => import("./CancelDialog"));
const ChangeDialog = lazy(() => import("./ChangeDialog"));

const ALLOWED: Record<State, readonly Action[]> = {
  queued: ["pause", "cancel"],
  running: ["pause", "cancel"],
  paused: ["resume", "cancel"],
  succeeded: ["retry"],
  failed: ["requeue"],
  canceled: ["requeue"],
};

const LOOKS: Record<Action, { label: string; icon: IconName; done: string }> = {
  pause: { label: "Pause", icon: "pause", done: "Paused. Nothing that was stored is lost." },
  resume: { label: "Resume", icon: "play", done: "Resumed where it stopped." },
  cancel: { label: "Cancel", icon: "stop", done: "Canceled. Its stored attempts are kept." },
  requeue: { label: "Requeue", icon: "retry", done: "Queued again. What has a verdict is not asked again." },
  retry: { label: "Retry errors", icon: "retry", done: "Retrying the attempts without a verdict." },
};

type Shown = "cancel" | "change" | undefined;

export function RunControls({ run }: { run: RunDetail }) {
  const [shown, setShown] = useState<Shown>();
  const action = useRunAction(run.id);
  const navigate = useNavigate();
  const missing = missingAttempts(run);
  const allowed = ALLOWED[run.is_interrupted ? "paused" : run.status].filter(
    (one) => one !== "retry" || missing > 0,
  );
  const canChange = run.status === "queued" || run.status === "running" || run.status === "paused";

  async function runAgain() {
    const { againOf } = await import("./again");
    await navigate({ to: "/runs/new", search: againOf(run) });
  }

  function perform(chosen: Action) {
    setShown(undefined);
    action.mutate(chosen, {
      onSuccess: () => toast(LOOKS[chosen].done),
      onError: (error) => toast(error.message, { isBad: true }),
    });
  }

  return (
    <div className={styles.controls}>
      {allowed.map((one) => (
        <Button
          key={one}
          icon={LOOKS[one].icon}
          tone={one === "cancel" ? "danger" : "plain"}
          isBusy={action.isPending && action.variables === one}
          disabled={action.isPending}
          onClick={() => (one === "cancel" ? setShown("cancel") : perform(one))}
        >
          {one === "retry"
            ? `Retry ${count(missing)} ${missing === 1 ? "error" : "errors"}`
            : LOOKS[one].label}
        </Button>
      ))}
      {isLive(run.status) ? <EndNoticeButton runId={run.id} /> : null}
      <ExportMenu run={run} />
      <Menu label="More" icon="more" isBare>
        {run.config.agent === null ? (
          <MenuButton icon="retry" onClick={runAgain}>
            Run again, with changes
          </MenuButton>
        ) : (
          <MenuButton icon="retry" disabled onClick={() => undefined}>
            Agents of your own are run by the CLI or API
          </MenuButton>
        )}
        <MenuButton icon="bolt" disabled={!canChange} onClick={() => setShown("change")}>
          Priority, concurrency, budget …
        </MenuButton>
        <MenuButton icon="link" onClick={copyLink}>
          Copy the link to this view
        </MenuButton>
      </Menu>
      <Suspense>
        {shown === "cancel" ? (
          <CancelDialog run={run} onClose={() => setShown(undefined)} onCancel={() => perform("cancel")} />
        ) : null}
        {shown === "change" ? <ChangeDialog run={run} onClose={() => setShown(undefined)} /> : null}
      </Suspense>
    </div>
  );
}

async function copyLink() {
  await navigator.clipboard.writeText(location.href);
  toast("The link is copied.");
}

function missingAttempts(run: RunDetail): number {
  return run.evaluations.reduce((sum, { outcomes }) => sum + missingCount(outcomes), 0);
}
