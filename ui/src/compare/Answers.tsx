import { useQueries } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { itemQuery } from "../api/queries";
import { Notice } from "../ui/Notice";
import { AnswerHead } from "./AnswerHead";
import styles from "./Answers.module.css";
import { Differences } from "../ui/Differences";
import { AnswerText } from "./AnswerText";

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
            <AnswerHead side={side} itemId={itemId} outcome={attempt?.outcome} />
            {error ? <Notice>{error.message}</Notice> : null}
            {attempt ? (
              <AnswerText model={side.model}>
                <Differences text={attempt.response} other={place === 0 ? undefined : baseline} />
              </AnswerText>
            ) : null}
            {attempt?.explanation ? <p className={styles.note}>{attempt.explanation}</p> : null}
          </div>
        );
      })}
    </div>
  );
}
