import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "theme";
const watchers = new Set<() => void>();

function stored(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

function choose(chosen: Theme) {
  if (chosen === "system") {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(KEY, chosen);
    document.documentElement.dataset["theme"] = chosen;
  }
  for (const changed of watchers) changed();
}

/** The reader's choice, kept in this browser; `public/theme.js` applies it before the first paint. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(watch, stored), choose];
}
