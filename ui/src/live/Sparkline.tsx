import styles from "./Sparkline.module.css";

interface Point {
  at: number;
  value: number;
}

const WIDTH = 96;
const HEIGHT = 22;

/** How a figure has moved lately, from 0 to its highest; the figure itself stands beside it as text. */
export function Sparkline({ points }: { points: readonly Point[] }) {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || first === last) return <span className={styles.none} aria-hidden="true" />;
  const highest = Math.max(...points.map(({ value }) => value)) || 1;
  const line = points
    .map(({ at, value }) => {
      const x = ((at - first.at) / (last.at - first.at)) * WIDTH;
      return `${x.toFixed(1)},${(HEIGHT - 1 - (value / highest) * (HEIGHT - 2)).toFixed(1)}`;
    })
    .join(" ");
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
      <polyline points={line} />
    </svg>
  );
}
