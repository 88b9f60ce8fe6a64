import { useEffect, useEffectEvent } from "react";

/** Calls `action` on a plain press of `key`, never while the reader is typing. */
export function useShortcut(key: string, action: () => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key !== key || hasModifier || isTyping(event.target)) return;
    event.preventDefault();
    action();
  });

  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");
}
