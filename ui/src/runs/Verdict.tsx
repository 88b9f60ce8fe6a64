import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RunDetail } from "../api/client";
import { compareQuery, isLive } from "../api/queries";
import { typeset } from "../api/wording";
import { Icon } from "../ui/Icon";
import styles from "./Verdict.module.css";

const MOST = 4;

/** What a run of several models shows about them, in words. */
export function Verdict({ run }: { run: RunDetail }) {
  const scored = run.evaluations.filter(({ score }) => score !== null);
  const hasPair = scored.some(({ benchmark, id }) =>
    scored.some((other) => other.benchmark === benchmark && other.id !== id),
  );
  const { data } = useQuery({
    ...compareQuery({ run: [run.id] }),
    enabled: hasPair && !isLive(run.status),
  });
  const said = (data?.comparisons ?? []).filter(({ statistics }) => statistics !== null);
  if (said.length === 0) return null;
  return (
    <section className={styles.verdict} aria-label="How the models compare">
      <ul>
        {said.slice(0, MOST).map(({ ours, theirs, sentence, statistics }) => (
          <li key={`${ours.evaluation_id} ${theirs.evaluation_id}`} data-verdict={statistics?.verdict}>
            {typeset(sentence)}
          </li>
        ))}
      </ul>
      <Link to="/compare" search={{ run: [run.id] }} className={styles.more}>
        {said.length > MOST ? `All ${said.length} comparisons` : "Compare item by item"}
        <Icon name="forward" size={14} />
      </Link>
    </section>
  );
}
