import type { CSSProperties as Known } from "react";

export type Style = Known;

declare module "react" {
  interface CSSProperties {
    [property: `--${string}`]: string | number;
  }
}
