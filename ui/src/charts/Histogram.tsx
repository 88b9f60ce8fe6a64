import styles from "./Histogram.module.css";
import type { Bin } from "./distribution";
import { logScale } from "./logScale";

interface Props {
  bins: readonly Bin[];
  range: readonly [low: number, high: number];
  colour: string;
  label: string;
}

const HEIGHT = 44;

/** Counts on a logarithmic axis that is shared with its neighbours; the figures stand in a table beside it. */
export function Histogram({ bins, range, colour, label }: Props) {
  const scale = logScale(...range);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return (
    <svg
      className={styles.histogram}
      height={HEIGHT}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      {bins
        .filter(({ count }) => count > 0)
        .map(({ low, high, count }) => {
          const height = Math.max(2, (count / most) * (HEIGHT - 2));
          return (
            <rect
              key={low}
              x={`${scale.at(low) * 100}%`}
              width={`${Math.max(0.4, (scale.at(high) - scale.at(low)) * 100 - 0.3)}%`}
              y={HEIGHT - height}
              height={height}
              rx="1"
              fill={colour}
            />
          );
        })}
      <line x1="0" x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
    </svg>
  );
}
