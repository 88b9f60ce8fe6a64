import { useEffect, useEffectEvent } from "react";

/** Calls `action` on a plain press of `key`, never while the reader is typing. */
export function useShortcut(key: string, action: () => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key !== key || hasModifier || isTyping(event.target) || isInDialog(event.target)) return;
    event.preventDefault();
    action();
  });

  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Whether a key belongs to a field rather than to the page. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("dialog") !== null;
}
