import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { runsQuery } from "../api/queries";
import { short } from "../format";
import { buttonClass } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { Age } from "../ui/Time";
import styles from "./NothingChosen.module.css";

const OFFERED = 5;

/** Teaches what can be compared, with what is there. */
export function NothingChosen() {
  const { data } = useQuery(runsQuery({ status: "succeeded", limit: 100 }));
  const runs = data?.runs ?? [];
  const offered = runs.filter(({ models }) => models.length > 1).slice(0, OFFERED);
  if (!data) return null;
  return (
    <EmptyState title="Choose what to compare">
      <p>
        One run of several models, or several runs of one benchmark with the same items. On the list of runs,{" "}
        <kbd>x</kbd> selects and <kbd>c</kbd> compares.
      </p>
      {offered.length > 0 ? (
        <ul className={styles.offers} aria-label="Runs of several models">
          {offered.map((run) => (
            <li key={run.id}>
              <Link to="/compare" search={{ run: [run.id] }} className={styles.offer}>
                <Icon name="compare" />
                <span>
                  <strong>{run.models.join(", ")}</strong>
                  <small>
                    {run.selected_benchmarks.join(", ")} · {short(run.id)} · <Age of={run.created_at} />
                  </small>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
      {runs.length === 0 ? (
        <Link to="/runs/new" className={buttonClass({ tone: "primary" })}>
          <Icon name="plus" />
          New run
        </Link>
      ) : null}
    </EmptyState>
  );
}
