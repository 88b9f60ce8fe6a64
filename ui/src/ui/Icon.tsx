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
  up: "m3.5 9.5 4.5-4.5 4.5 4.5",
  down: "m3.5 6.5 4.5 4.5 4.5-4.5",
  plus: "M8 3v10M3 8h10",
  play: "M5 3.2v9.6l7.5-4.8Z",
  stop: "M4 4h8v8H4Z",
  retry: "M12.8 6.5A5 5 0 1 0 13 9M13 3v3.5H9.5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  dots: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  download: "M8 2.5v7.5M4.8 7l3.2 3.2L11.2 7M3 13.5h10",
  upload: "M8 10.5V3M4.8 6 8 2.8 11.2 6M3 13.5h10",
  external: "M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5",
  link: "M6.8 9.2 9.2 6.8M7.2 4.8 8.9 3.1a2.8 2.8 0 0 1 4 4l-1.7 1.7M8.8 11.2l-1.7 1.7a2.8 2.8 0 0 1-4-4l1.7-1.7",
  runs: "M2.5 4h2M6.5 4h7M2.5 8h2M6.5 8h7M2.5 12h2M6.5 12h7",
  compare: "M8 2.5v11M2.5 4.5h3v7h-3ZM10.5 4.5h3v7h-3Z",
  podium: "M2.5 13V8.5h3.7V13M6.2 13V4h3.6v9M9.8 13V7h3.7v6M1.5 13h13",
  book: "M3 3h4.2A1.8 1.8 0 0 1 8 4.5 1.8 1.8 0 0 1 8.8 3H13v9.5H9.2A1.6 1.6 0 0 0 8 13.5a1.6 1.6 0 0 0-1.2-1H3ZM8 4.5v9",
  cube: "M8 2 13.2 5v6L8 14 2.8 11V5ZM2.8 5 8 8l5.2-3M8 8v6",
  data: "M2.8 4.3C2.8 3.3 5.1 2.5 8 2.5s5.2.8 5.2 1.8-2.3 1.8-5.2 1.8-5.2-.8-5.2-1.8ZM2.8 4.3v7.4c0 1 2.3 1.8 5.2 1.8s5.2-.8 5.2-1.8V4.3M2.8 8c0 1 2.3 1.8 5.2 1.8S13.2 9 13.2 8",
  shield: "M8 2 13 3.8v3.7c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5V3.8ZM5.8 8l1.6 1.6 2.9-3.2",
  pulse: "M1.5 8.5h3l2-5 3 9 2-4h3",
  bell: "M8 2.5a3.7 3.7 0 0 0-3.7 3.7c0 3-1.3 4.3-1.3 4.3h10s-1.3-1.3-1.3-4.3A3.7 3.7 0 0 0 8 2.5ZM6.7 13h2.6",
  terminal: "M2 3.5h12v9H2ZM4.5 6.2 6.3 8l-1.8 1.8M8 10h3.2",
  gear: "M8 5.9a2.1 2.1 0 1 0 0 4.2 2.1 2.1 0 0 0 0-4.2ZM8 1.8v1.8M8 12.4v1.8M1.8 8h1.8M12.4 8h1.8M3.6 3.6l1.3 1.3M11.1 11.1l1.3 1.3M12.4 3.6l-1.3 1.3M4.9 11.1l-1.3 1.3",
  code: "m5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5-3.5 3.5M9.3 3 6.7 13",
  keyboard: "M1.8 4.5h12.4v7H1.8ZM4 7h.1M6.6 7h.1M9.2 7h.1M11.8 7h.1M5 9.4h6",
  filter: "M2.5 3.5h11L9.3 8.6v4.2l-2.6-1.3V8.6Z",
  columns: "M2.5 3h11v10h-11ZM6.2 3v10M9.8 3v10",
  sort: "M5 3v10M2.5 10.5 5 13l2.5-2.5M11 13V3M8.5 5.5 11 3l2.5 2.5",
  lock: "M4 7.5h8v6H4ZM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  bolt: "M9 1.8 3.5 9h4L7 14.2 12.5 7h-4Z",
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
