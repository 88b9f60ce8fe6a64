import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { count } from "../format";
import { ModelName } from "../ui/ModelName";
import { Card } from "../ui/Page";
import { AgreementLine } from "./AgreementLine";
import styles from "./Judgements.module.css";

const NAMES: Record<Schemas["Label"], string> = { golden: "golden", fix: "needs a fix", wrong: "wrong" };

interface Props {
  runId: string;
  labels: Schemas["EvaluationAnnotations"];
}

export function LabelSummary({ runId, labels }: Props) {
  const { model, benchmark, annotations, agreement } = labels;
  return (
    <Card label={`Annotations of ${model} on ${benchmark}`}>
      <div className={styles.body}>
        <h3 className={styles.title}>
          <ModelName model={model} /> on {benchmark}{" "}
          <span>
            {count(annotations.length)} {annotations.length === 1 ? "annotation" : "annotations"}
          </span>
        </h3>
        {agreement ? (
          <AgreementLine who="Grading and annotations" agreement={agreement} />
        ) : (
          <p className={styles.soft}>No annotated answer has a verdict to compare with.</p>
        )}
        <details className={styles.changed}>
          <summary>Show the annotations</summary>
          <ul>
            {annotations.map(({ id, item_id, sample, label, note, author }) => (
              <li key={id}>
                <Link
                  to="/runs/$runId/items/$itemId"
                  params={{ runId, itemId: item_id }}
                  search={{ benchmark, model, ...(sample > 0 ? { sample } : {}) }}
                >
                  {item_id}
                </Link>
                <strong>{NAMES[label]}</strong>
                {author ? ` by ${author}` : ""}
                {note ? `: ${note}` : ""}
              </li>
            ))}
          </ul>
        </details>
      </div>
    </Card>
  );
}
