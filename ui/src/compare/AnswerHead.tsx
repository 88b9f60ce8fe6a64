import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schemas } from "../api/client";
import { ModelName } from "../ui/ModelName";
import { OutcomeChip } from "../ui/OutcomeChip";
import styles from "./Answers.module.css";

interface Props {
  side: Pick<Schemas["Side"], "model" | "benchmark" | "run_id">;
  itemId: string;
  outcome: Schemas["Outcome"] | undefined;
  children?: ReactNode;
}

/** Whose answer it is, what came of it, and the way to its transcript. */
export function AnswerHead({ side, itemId, outcome, children }: Props) {
  return (
    <p className={styles.who}>
      <ModelName model={side.model} />
      {outcome ? <OutcomeChip outcome={outcome} /> : null}
      {children}
      <Link
        to="/runs/$runId/items/$itemId"
        params={{ runId: side.run_id, itemId }}
        search={{ benchmark: side.benchmark, model: side.model }}
        className={styles.link}
      >
        Transcript
      </Link>
    </p>
  );
}
