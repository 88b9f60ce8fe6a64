import type { Schemas } from "../api/client";
import { PairedDifference } from "../charts/PairedDifference";
import { count, points } from "../format";
import { Badge } from "../ui/Badge";
import { ModelName } from "../ui/ModelName";
import { Section } from "../ui/Page";
import styles from "./SummaryView.module.css";

type Comparison = Schemas["Comparison"];
type Statistics = Schemas["PairedStatistics"];

const VERDICTS: Record<Statistics["verdict"], string> = {
  better: "better",
  worse: "worse",
  tied: "tied",
  inconclusive: "not enough items",
};

const TESTS: Record<Statistics["test"], string> = {
  "mcnemar-exact": "exact McNemar test",
  "sign-flip-exact": "exact sign-flip test",
  "sign-flip-sampled": "sampled sign-flip test",
};

/** The differences between every two evaluations, benchmark by benchmark. */
export function SummaryView({ result }: { result: Schemas["ComparisonResult"] }) {
  const groups = Map.groupBy(result.comparisons, ({ ours }) => ours.benchmark);
  return [...groups].map(([benchmark, comparisons]) => (
    <Section key={benchmark} title={benchmark} note="difference in percentage points, paired by item">
      <div className={styles.rows}>
        {comparisons.map((one) => (
          <Pair
            key={`${one.ours.evaluation_id} ${one.theirs.evaluation_id}`}
            comparison={one}
            reach={reachOf(comparisons)}
          />
        ))}
      </div>
    </Section>
  ));
}

/** The farthest any interval goes from zero, so that all rows share one axis. */
function reachOf(comparisons: readonly Comparison[]): number {
  const ends = comparisons.flatMap(({ statistics }) =>
    statistics ? [Math.abs(statistics.interval.low), Math.abs(statistics.interval.high)] : [],
  );
  return Math.max(0.05, ...ends);
}

function Pair({ comparison, reach }: { comparison: Comparison; reach: number }) {
  const { ours, theirs, statistics, sentence, differing, is_comparable } = comparison;
  return (
    <article className={styles.pair} aria-label={`${ours.model} against ${theirs.model}`}>
      <h3>
        <ModelName model={ours.model} /> <span>against</span> <ModelName model={theirs.model} />
        {statistics ? (
          <Badge tone={statistics.verdict === "better" ? "gold" : "plain"}>
            {VERDICTS[statistics.verdict]}
          </Badge>
        ) : null}
      </h3>
      {statistics ? (
        <div className={styles.line}>
          <PairedDifference {...statistics} reach={reach} />
          <p>
            <strong>{points(statistics.difference)}</strong>{" "}
            <span>
              {points(statistics.interval.low)} to {points(statistics.interval.high)}
            </span>
          </p>
        </div>
      ) : null}
      <p className={styles.sentence}>{sentence}</p>
      {is_comparable ? null : (
        <p className={styles.differing}>
          Not made under the same conditions: {differing.join(", ")}. Take the figures as a hint.
        </p>
      )}
      {statistics ? <Figures statistics={statistics} /> : null}
    </article>
  );
}

function Figures({ statistics }: { statistics: Statistics }) {
  const { wins, losses, ties, n, p_value, adjusted_p, test, minimum_detectable_effect: least } = statistics;
  return (
    <>
      <div className={styles.outcomes} aria-hidden="true">
        <span data-side="wins" style={{ flexGrow: wins }} />
        <span data-side="ties" style={{ flexGrow: ties }} />
        <span data-side="losses" style={{ flexGrow: losses }} />
      </div>
      <ul className={styles.figures}>
        <li>
          <strong>{count(wins)}</strong> won, <strong>{count(losses)}</strong> lost,{" "}
          <strong>{count(ties)}</strong> tied
        </li>
        <li>n = {count(n)}</li>
        <li>
          {probability(p_value)} ({TESTS[test]})
          {adjusted_p === null ? "" : `, corrected (Holm) ${probability(adjusted_p)}`}
        </li>
        {least === null ? null : (
          <li>smallest difference these items could show: {points(least).slice(1)} points</li>
        )}
      </ul>
    </>
  );
}

function probability(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}
