import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { judgementsQuery, labelsQuery } from "../api/labels";
import { isLive, runQuery } from "../api/queries";
import { Notice } from "../ui/Notice";
import { Section } from "../ui/Page";
import { GradeAgain } from "./GradeAgain";
import styles from "./Judgements.module.css";
import { JudgementView } from "./JudgementView";
import { LabelSummary } from "./LabelSummary";

const route = getRouteApi("/runs/$runId");

/** Every grading of the run's answers: the first, those made later, and what people say. */
export function JudgementsTab() {
  const { runId } = route.useParams();
  const { data: run } = useQuery(runQuery(runId));
  const judgements = useQuery(judgementsQuery(runId));
  const labels = useQuery(labelsQuery(runId));
  if (!run) return null;
  const made = judgements.data?.judgements ?? [];
  const labelled = (labels.data?.evaluations ?? []).filter(({ annotations }) => annotations.length > 0);
  return (
    <>
      <Section
        title="Grade again"
        note="Grades the stored answers with another judge or a newer grader. The models are not asked again, and the first grading is kept."
      >
        {isLive(run.status) ? (
          <p className={styles.soft}>Its answers can be graded again once all of them are there.</p>
        ) : (
          <GradeAgain run={run} />
        )}
      </Section>
      <Section title="Gradings side by side">
        {judgements.error ? <Notice>{judgements.error.message}</Notice> : null}
        {made.map((one) => (
          <JudgementView key={one.id} runId={runId} judgement={one} />
        ))}
        {judgements.data && made.length === 0 ? (
          <p className={styles.soft}>
            Graded once so far. A second grading appears here next to the first, with every verdict that
            changed.
          </p>
        ) : null}
      </Section>
      <Section
        title="Annotations by people"
        note="How far the grading agrees with annotations of the same answers."
      >
        {labelled.map((one) => (
          <LabelSummary key={one.evaluation_id} runId={runId} labels={one} />
        ))}
        {labels.data && labelled.length === 0 ? (
          <p className={styles.soft}>
            No answer is annotated yet. Open an item and say whether its answer is right: a few dozen
            annotations show how good the grader is.
          </p>
        ) : null}
      </Section>
    </>
  );
}
