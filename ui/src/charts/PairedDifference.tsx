import type { Interval } from "../api/client";
import styles from "./PairedDifference.module.css";

interface Props {
  difference: number;
  interval: Interval;
  /** Half the width of the axis, shared by the rows that stand together. */
  reach: number;
  verdict: string;
  /** Differences up to it do not matter; drawn as a band. */
  margin?: number;
}

const HEIGHT = 22;
const MIDDLE = HEIGHT / 2;

/** A difference and its interval around zero; the figures stand beside it as text. */
export function PairedDifference({ difference, interval, reach, verdict, margin }: Props) {
  const at = (value: number) => `${50 + (Math.max(-reach, Math.min(reach, value)) / reach) * 50}%`;
  const share = (value: number) => 50 + (Math.max(-reach, Math.min(reach, value)) / reach) * 50;
  return (
    <svg className={styles.track} height={HEIGHT} aria-hidden="true" data-verdict={verdict}>
      {margin === undefined ? null : (
        <rect
          className={styles.margin}
          x={at(-margin)}
          y="0"
          width={`${share(margin) - share(-margin)}%`}
          height={HEIGHT}
          rx="2"
        />
      )}
      <line className={styles.axis} x1="0" x2="100%" y1={MIDDLE} y2={MIDDLE} />
      <line className={styles.zero} x1="50%" x2="50%" y1="1" y2={HEIGHT - 1} />
      <rect
        className={styles.interval}
        x={at(interval.low)}
        y={MIDDLE - 5}
        width={`${share(interval.high) - share(interval.low)}%`}
        height="10"
        rx="2"
      />
      <line
        className={styles.value}
        x1={at(difference)}
        x2={at(difference)}
        y1={MIDDLE - 7}
        y2={MIDDLE + 7}
      />
    </svg>
  );
}
