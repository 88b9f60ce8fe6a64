import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { itemQuery } from "../api/queries";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { OutcomeChip } from "../ui/OutcomeChip";
import styles from "./Answers.module.css";
import { differences } from "./diff";

type Side = Schemas["Side"];

/** The answers to one item side by side; in all but the first, what the first does not say is marked. */
export function Answers({ sides, itemId }: { sides: readonly Side[]; itemId: string }) {
  const details = useQueries({
    queries: sides.map((side) => itemQuery(side.run_id, side.benchmark, side.model, itemId)),
  });
  const baseline = details[0]?.data?.attempts[0]?.response;
  return (
    <div className={styles.answers}>
      {sides.map((side, place) => {
        const { data, error } = details[place] ?? {};
        const attempt = data?.attempts[0];
        return (
          <section key={side.evaluation_id} aria-label={side.model}>
            <h4>
              <ModelName model={side.model} />
              {attempt ? <OutcomeChip outcome={attempt.outcome} /> : null}
              <Link
                to="/runs/$runId/items/$itemId"
                params={{ runId: side.run_id, itemId }}
                search={{ benchmark: side.benchmark, model: side.model }}
                className={styles.link}
              >
                Transcript
              </Link>
            </h4>
            {error ? <Notice>{error.message}</Notice> : null}
            {attempt ? (
              <div className={styles.text}>
                {place === 0 || baseline === undefined ? (
                  attempt.response
                ) : (
                  <Marked text={attempt.response} other={baseline} />
                )}
              </div>
            ) : null}
            {attempt?.explanation ? <p className={styles.note}>{attempt.explanation}</p> : null}
          </section>
        );
      })}
    </div>
  );
}

function Marked({ text, other }: { text: string; other: string }) {
  return differences(text, other).map((part, place) =>
    // oxlint-disable-next-line react/no-array-index-key -- the parts of a text never change places
    part.isShared ? <span key={place}>{part.text}</span> : <mark key={place}>{part.text}</mark>,
  );
}
