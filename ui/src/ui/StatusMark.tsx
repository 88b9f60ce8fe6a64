import type { State } from "../api/client";
import { Icon, type IconName } from "./Icon";
import styles from "./StatusMark.module.css";

const MARKS: Record<State, { icon: IconName; label: string }> = {
  queued: { icon: "clock", label: "Queued" },
  running: { icon: "spinner", label: "Running" },
  paused: { icon: "pause", label: "Paused" },
  succeeded: { icon: "check", label: "Succeeded" },
  failed: { icon: "cross", label: "Failed" },
  canceled: { icon: "blocked", label: "Canceled" },
};

export const STATES: readonly State[] = ["running", "queued", "paused", "succeeded", "failed", "canceled"];

export function stateLabel(state: State): string {
  return MARKS[state].label;
}

const INTERRUPTED = { icon: "pause", label: "Interrupted" } as const;

/** A run is interrupted if the process that executed it is gone. */
export function StatusMark({ state, isInterrupted = false }: { state: State; isInterrupted?: boolean }) {
  const { icon, label } = isInterrupted ? INTERRUPTED : MARKS[state];
  return (
    <span className={styles.mark} data-state={isInterrupted ? "paused" : state}>
      <Icon name={icon} size={14} />
      {label}
    </span>
  );
}
