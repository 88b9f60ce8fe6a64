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

export function StatusMark({ state }: { state: State }) {
  return (
    <span className={styles.mark} data-state={state}>
      <Icon name={MARKS[state].icon} size={14} />
      {MARKS[state].label}
    </span>
  );
}
