import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RunDetail } from "../api/client";
import { compareQuery, isLive } from "../api/queries";
import { typeset } from "../api/wording";
import { Icon } from "../ui/Icon";
import { bestVerdict } from "./bestVerdict";
import styles from "./Verdict.module.css";

/** What a run of several models shows about them, in one sentence; behind it, one for every pair. */
export function Verdict({ run }: { run: RunDetail }) {
  const scored = run.evaluations.filter(({ score }) => score !== null);
  const hasPair = scored.some(({ benchmark, id }) =>
    scored.some((other) => other.benchmark === benchmark && other.id !== id),
  );
  const { data } = useQuery({
    ...compareQuery({ run: [run.id] }),
    // An ordinary test says too much of a run that its own scores have stopped.
    enabled: hasPair && !isLive(run.status) && run.stop === null,
  });
  const said = (data?.comparisons ?? []).filter(({ statistics }) => statistics !== null);
  const best = bestVerdict(said, run.evaluations);
  if (!best) return null;
  return (
    <section className={styles.verdict} aria-label="How the models compare">
      <p data-verdict={best.statistics?.verdict}>{typeset(best.sentence)}</p>
      <Link to="/compare" search={{ run: [run.id] }} className={styles.more}>
        Compare item by item
        <Icon name="forward" size={14} />
      </Link>
      {said.length > 1 ? (
        <details className={styles.pairs}>
          <summary>{said.length === 2 ? "Both pairs" : `All ${said.length} pairs`}</summary>
          <ul>
            {said.map(({ ours, theirs, sentence, statistics }) => (
              <li key={`${ours.evaluation_id} ${theirs.evaluation_id}`} data-verdict={statistics?.verdict}>
                {typeset(sentence)}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}
