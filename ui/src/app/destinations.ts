import type { IconName } from "../ui/Icon";

export interface Destination {
  to:
    | "/"
    | "/compare"
    | "/leaderboard"
    | "/arena"
    | "/code"
    | "/load"
    | "/benchmarks"
    | "/models"
    | "/datasets"
    | "/verify"
    | "/system"
    | "/api-docs"
    | "/settings";
  label: string;
  icon: IconName;
  /** Pressed after `g`. */
  key: string;
}

/** Where the navigation leads, group by group. */
export const DESTINATIONS: readonly (readonly Destination[])[] = [
  [
    { to: "/", label: "Runs", icon: "runs", key: "r" },
    { to: "/compare", label: "Compare", icon: "compare", key: "c" },
    { to: "/leaderboard", label: "Leaderboard", icon: "podium", key: "l" },
    { to: "/arena", label: "Arena", icon: "columns", key: "e" },
    { to: "/code", label: "Code", icon: "terminal", key: "o" },
    { to: "/load", label: "Load tests", icon: "bolt", key: "p" },
  ],
  [
    { to: "/benchmarks", label: "Benchmarks", icon: "book", key: "b" },
    { to: "/models", label: "Models", icon: "cube", key: "m" },
    { to: "/datasets", label: "Data sets", icon: "data", key: "d" },
  ],
  [
    { to: "/verify", label: "Verify", icon: "shield", key: "v" },
    { to: "/system", label: "System", icon: "pulse", key: "s" },
    { to: "/api-docs", label: "API", icon: "code", key: "a" },
    { to: "/settings", label: "Settings", icon: "gear", key: "t" },
  ],
];
