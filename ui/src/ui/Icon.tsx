import styles from "./Icon.module.css";

/** Strokes on a grid of 16 by 16. */
const PATHS = {
  check: "m3.5 8.5 3 3 6-7",
  cross: "m4 4 8 8m0-8-8 8",
  half: "M8 2.5a5.5 5.5 0 1 0 0 11ZM8 2.5a5.5 5.5 0 0 1 0 11",
  question: "M5.5 6a2.5 2.5 0 1 1 3.6 2.25C8.3 8.65 8 9.1 8 10M8 12.6v.1",
  blocked: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM4.2 4.2l7.6 7.6",
  scissors:
    "m5 5.5 8.5 6M5 10.5l8.5-6M5 4.5a1.75 1.75 0 1 1-3.5 0 1.75 1.75 0 0 1 3.5 0ZM5 11.5a1.75 1.75 0 1 1-3.5 0 1.75 1.75 0 0 1 3.5 0Z",
  alert: "M8 3v6M8 12.5v.1",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3.2l2 1.3",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  spinner: "M8 2.5A5.5 5.5 0 1 1 2.5 8",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.3 10.3l3.2 3.2",
  copy: "M5.5 5.5h7v7h-7ZM10.5 5.5v-2h-7v7h2",
  sun: "M8 5.25a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7",
  moon: "M13 9.8A5.5 5.5 0 0 1 6.2 3a5.5 5.5 0 1 0 6.8 6.8Z",
  screen: "M2.5 3.5h11v7.5h-11ZM6 13.5h4",
  flask: "M6 2.5h4M6.7 2.5v4L3.3 12.2a.9.9 0 0 0 .8 1.3h7.8a.9.9 0 0 0 .8-1.3L9.3 6.5v-4M5 10h6",
  back: "m9.5 3.5-4.5 4.5 4.5 4.5",
  forward: "m6.5 3.5 4.5 4.5-4.5 4.5",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration only: the text beside it carries the meaning. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className={name === "spinner" ? styles.spinning : styles.icon}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
