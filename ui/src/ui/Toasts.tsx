import { useSyncExternalStore } from "react";
import { Button } from "./Button";
import { Icon } from "./Icon";
import styles from "./Toasts.module.css";

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
}

const SHOWN_MS = 5_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function become(next: readonly Toast[]) {
  toasts = next;
  for (const changed of watchers) changed();
}

function dismiss(id: number) {
  become(toasts.filter((shown) => shown.id !== id));
}

/** Says in a corner what came of something; a failure stays until it is dismissed. */
export function toast(text: string, { isBad = false } = {}) {
  const id = ++lastId;
  become([...toasts.slice(-2), { id, text, isBad }]);
  if (!isBad) setTimeout(() => dismiss(id), SHOWN_MS);
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

export function Toasts() {
  const shown = useSyncExternalStore(watch, () => toasts);
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {shown.map(({ id, text, isBad }) => (
        <div key={id} className={styles.toast} data-bad={isBad}>
          <Icon name={isBad ? "alert" : "check"} />
          <p>{text}</p>
          <Button tone="quiet" isSmall icon="cross" aria-label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
