import type { Estimate } from "../api/client";
import { percent } from "../format";
import styles from "./IntervalTrack.module.css";

interface Props {
  estimate: Estimate;
  /** What is scored without knowing anything. */
  chance?: number | undefined;
}

const HEIGHT = 18;
const MIDDLE = HEIGHT / 2;

/** A score and its interval on the way from 0 to 100 %; the figures stand beside it as text. */
export function IntervalTrack({ estimate, chance }: Props) {
  const { value, interval } = estimate;
  return (
    <svg className={styles.track} height={HEIGHT} aria-hidden="true">
      <line className={styles.axis} x1="0" x2="100%" y1={MIDDLE} y2={MIDDLE} />
      {[0, 0.5, 1].map((tick) => (
        <line
          key={tick}
          className={styles.axis}
          x1={at(tick)}
          x2={at(tick)}
          y1={MIDDLE - 3}
          y2={MIDDLE + 3}
        />
      ))}
      {chance ? (
        <line className={styles.chance} x1={at(chance)} x2={at(chance)} y1="1" y2={HEIGHT - 1}>
          <title>{`Chance level ${percent(chance)}`}</title>
        </line>
      ) : null}
      {interval ? (
        <rect
          className={styles.interval}
          x={at(interval.low)}
          y={MIDDLE - 4}
          width={at(interval.high - interval.low)}
          height="8"
          rx="2"
        />
      ) : null}
      <line className={styles.value} x1={at(value)} x2={at(value)} y1={MIDDLE - 6} y2={MIDDLE + 6} />
    </svg>
  );
}

function at(share: number): string {
  return `${share * 100}%`;
}
