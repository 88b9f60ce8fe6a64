import styles from "./IntervalTrack.module.css";

const HEIGHT = 18;
const MIDDLE = HEIGHT / 2;

/** Several scores on one way from 0 to 100 %; the figures stand beside it as text. */
export function ScoreTicks({ scores }: { scores: readonly number[] }) {
  return (
    <svg className={styles.track} height={HEIGHT} aria-hidden="true">
      <line className={styles.axis} x1="0" x2="100%" y1={MIDDLE} y2={MIDDLE} />
      {[...new Set(scores)].map((score) => (
        <line
          key={score}
          className={styles.value}
          x1={`${score * 100}%`}
          x2={`${score * 100}%`}
          y1={MIDDLE - 5}
          y2={MIDDLE + 5}
        />
      ))}
    </svg>
  );
}
