import { type FormEvent, useState } from "react";
import type { RunDetail } from "../api/client";
import { useJudge } from "../api/labels";
import { Button } from "../ui/Button";
import { Field, inputClass } from "../ui/Field";
import { Notice } from "../ui/Notice";
import { Card } from "../ui/Page";
import { toast } from "../ui/Toasts";
import styles from "./Judgements.module.css";

const ALL = "";

export function GradeAgain({ run }: { run: RunDetail }) {
  const [evaluationId, setEvaluationId] = useState(ALL);
  const [judge, setJudge] = useState("");
  const grading = useJudge(run.id);

  function submit(event: FormEvent) {
    event.preventDefault();
    const chosen = run.evaluations.find(({ id }) => id === evaluationId);
    grading.mutate(
      {
        ...(chosen ? { model: chosen.model, benchmark: chosen.benchmark } : {}),
        ...(judge.trim() ? { judge: judge.trim() } : {}),
      },
      { onSuccess: () => toast("Graded again. Both gradings are kept.") },
    );
  }

  return (
    <Card>
      <form className={styles.form} onSubmit={submit}>
        <Field label="Answers of">
          {(wiring) => (
            <select
              {...wiring}
              className={inputClass}
              value={evaluationId}
              onChange={({ target }) => setEvaluationId(target.value)}
            >
              <option value={ALL}>every evaluation of the run</option>
              {run.evaluations.map(({ id, model, benchmark }) => (
                <option key={id} value={id}>
                  {model} on {benchmark}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Judge"
          hint="Several names, separated by commas, form a panel. Empty: the judge of the run."
        >
          {(wiring) => (
            <input
              {...wiring}
              className={inputClass}
              placeholder={run.judge ?? "openai/o3-mini, only for judged benchmarks"}
              value={judge}
              onChange={({ target }) => setJudge(target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <Button tone="primary" type="submit" icon="retry" isBusy={grading.isPending}>
          Grade again
        </Button>
      </form>
      {grading.isPending ? (
        <p className={styles.soft}>
          Grading. Results are stored: if you leave the page, the same request continues from there.
        </p>
      ) : null}
      {grading.error ? <Notice>{grading.error.message}</Notice> : null}
    </Card>
  );
}
