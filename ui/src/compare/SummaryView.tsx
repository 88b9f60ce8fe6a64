import type { Schemas } from "../api/client";
import { conditionsOf } from "../api/conditions";
import { typeset } from "../api/wording";
import { PairedDifference } from "../charts/PairedDifference";
import { count, points, probability } from "../format";
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

const TONES = { better: "good", worse: "gold", tied: "plain", inconclusive: "plain" } as const;

const TESTS: Record<Statistics["test"], string> = {
  "mcnemar-exact": "exact McNemar test",
  "sign-flip-exact": "exact sign-flip test",
  "sign-flip-sampled": "sampled sign-flip test",
};

/** How each evaluation differs from the baseline, benchmark by benchmark; other pairs are folded. */
export function SummaryView({ result }: { result: Schemas["ComparisonResult"] }) {
  const groups = Map.groupBy(result.comparisons, ({ ours }) => ours.benchmark);
  return [...groups].map(([benchmark, comparisons]) => {
    const baseline = comparisons[0]?.ours.evaluation_id;
    const others = comparisons.filter(({ ours }) => ours.evaluation_id !== baseline);
    return (
      <Section key={benchmark} title={benchmark} note="difference in percentage points, paired by item">
        <Pairs
          comparisons={comparisons.filter(({ ours }) => ours.evaluation_id === baseline)}
          reach={reachOf(comparisons)}
        />
        {others.length > 0 ? (
          <details className={styles.others}>
            <summary>
              {count(others.length)} more {others.length === 1 ? "pair" : "pairs"}, without the baseline
            </summary>
            <Pairs comparisons={others} reach={reachOf(comparisons)} />
          </details>
        ) : null}
      </Section>
    );
  });
}

function Pairs({ comparisons, reach }: { comparisons: readonly Comparison[]; reach: number }) {
  return (
    <div className={styles.rows}>
      {comparisons.map((one) => (
        <Pair key={`${one.ours.evaluation_id} ${one.theirs.evaluation_id}`} comparison={one} reach={reach} />
      ))}
    </div>
  );
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
        {statistics ? <Badge tone={TONES[statistics.verdict]}>{VERDICTS[statistics.verdict]}</Badge> : null}
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
      <p className={styles.sentence}>{typeset(sentence)}</p>
      {is_comparable ? null : (
        <p className={styles.differing}>
          They differ in the {conditionsOf(differing)}: take the figures as a hint.
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
