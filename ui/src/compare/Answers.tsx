import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { itemQuery } from "../api/queries";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { OutcomeChip } from "../ui/OutcomeChip";
import styles from "./Answers.module.css";
import { AnswerText, Marked } from "./Marked";

type Side = Schemas["Side"];

/** The answers to one item side by side; in all but the first, what the first does not say is marked. */
export function Answers({ sides, itemId }: { sides: readonly Side[]; itemId: string }) {
  const details = useQueries({
    queries: sides.map((side) =>
      itemQuery(side.run_id, { benchmark: side.benchmark, model: side.model, itemId }),
    ),
  });
  const baseline = details[0]?.data?.attempts[0]?.response;
  return (
    <div className={styles.answers}>
      {sides.map((side, place) => {
        const { data, error } = details[place] ?? {};
        const attempt = data?.attempts[0];
        return (
          <div key={side.evaluation_id} className={styles.side}>
            <p className={styles.who}>
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
            </p>
            {error ? <Notice>{error.message}</Notice> : null}
            {attempt ? (
              <AnswerText model={side.model}>
                <Marked text={attempt.response} other={place === 0 ? undefined : baseline} />
              </AnswerText>
            ) : null}
            {attempt?.explanation ? <p className={styles.note}>{attempt.explanation}</p> : null}
          </div>
        );
      })}
    </div>
  );
}
