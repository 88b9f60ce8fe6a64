import { Link, useNavigate } from "@tanstack/react-router";
import { memo, type MouseEvent, useState } from "react";
import type { Run, RunOutlook } from "../../api/client";
import { isLive } from "../../api/queries";
import { count, short } from "../../format";
import { DataBadge } from "../../ui/Badge";
import { RunCost } from "../../ui/Cost";
import { Icon } from "../../ui/Icon";
import { ModelLine } from "../../ui/ModelLine";
import { StatusMark } from "../../ui/StatusMark";
import { Age, Elapsed } from "../../ui/Time";
import { outlookParts } from "../Outlook";
import styles from "../RunsTable.module.css";
import { EvaluationRows } from "./EvaluationRows";
import { RunScore, Unscored } from "./RunScore";

interface Props {
  run: Run;
  outlook: RunOutlook | undefined;
  isPicked: boolean;
  onPick: (runId: string) => void;
}

/** A run on one row; several evaluations unfold below it. */
export const RunRow = memo(function RunRow({ run, outlook, isPicked, onPick }: Props) {
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);

  /** A convenience for the mouse; the link in the second cell is the way for everyone. */
  function open(event: MouseEvent<HTMLTableSectionElement>) {
    const onLink = event.target instanceof Element && event.target.closest("a, label, input, button");
    if (!onLink && !getSelection()?.toString()) navigate({ to: "/runs/$runId", params: { runId: run.id } });
  }

  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- see `open`
    <tbody
      className={styles.run}
      data-live={isLive(run.status)}
      data-picked={isPicked}
      data-run={run.id}
      onClick={open}
    >
      <tr>
        <td className={styles.status}>
          <label className={styles.pick}>
            <input
              type="checkbox"
              checked={isPicked}
              onChange={() => onPick(run.id)}
              aria-label={`Select run ${short(run.id)}`}
            />
            <StatusMark state={run.status} isInterrupted={run.is_interrupted} />
          </label>
          <Standing run={run} outlook={outlook} />
        </td>
        <th scope="row" className={styles.model}>
          <span className={styles.models}>
            <ModelLine model={run.models[0] ?? ""} />
            {run.models.length > 1 ? (
              <span className={styles.others} title={run.models.join("\n")}>
                +{run.models.length - 1}
                <span className="visually-hidden"> more models</span>
              </span>
            ) : null}
          </span>
          <Labels run={run} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
        </th>
        <td className={styles.benchmark} title={run.selected_benchmarks.join("\n")}>
          {run.selected_benchmarks.join(", ")}
        </td>
        <td className={styles.score}>
          <RunScore run={run} />
          <Unscored evaluations={run.evaluations} />
        </td>
        <td className={styles.cost} data-unknown={run.cost_usd === null}>
          <RunCost run={run} />
        </td>
        <td className={styles.duration}>
          <Elapsed from={run.started_at} to={run.completed_at ?? run.stopped_at} />
        </td>
        <td className={styles.started}>
          <Age of={run.created_at} />
        </td>
      </tr>
      {isOpen ? <EvaluationRows run={run} /> : null}
    </tbody>
  );
});

/** Below the state: the place in the queue, what is left, or how far it came. */
function Standing({ run, outlook }: Pick<Props, "run" | "outlook">) {
  const failed = run.evaluations.filter(({ status }) => status === "failed").length;
  if (failed > 0 && run.evaluations.length > 1) {
    return (
      <span className={`${styles.standing} ${styles.failed}`}>
        {failed} of {run.evaluations.length} failed
      </span>
    );
  }
  const { completed, total } = run.progress;
  const hasStopped = run.status === "paused" || run.status === "canceled";
  const isPartial = hasStopped && completed > 0 && completed < total;
  const said = isPartial
    ? [`at ${count(completed)} of ${count(total)}`]
    : outlook
      ? outlookParts(outlook)
      : [];
  if (said.length === 0) return null;
  return (
    <span className={styles.standing} title={said.join(" · ")}>
      {said.join(" · ")}
    </span>
  );
}

interface LabelsProps {
  run: Run;
  isOpen: boolean;
  onToggle: () => void;
}

/** What the run is called, filed under and remembered for. */
function Labels({ run, isOpen, onToggle }: LabelsProps) {
  const several = run.evaluations.length;
  return (
    <span className={styles.labels}>
      <Link
        to="/runs/$runId"
        params={{ runId: run.id }}
        className={styles.id}
        aria-label={`Open run ${short(run.id)}`}
        data-open
      >
        {short(run.id)}
      </Link>
      {several > 1 ? (
        <button type="button" className={styles.toggle} aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? "down" : "forward"} size={10} />
          {count(several)} evaluations
        </button>
      ) : null}
      <DataBadge source={run.data} />
      {run.name ? (
        <span className={styles.name} title={run.name}>
          {run.name}
        </span>
      ) : null}
      {run.tags.map((tag) => (
        <Link key={tag} to="/" search={{ tag }} className={styles.tag} title={`Runs tagged ${tag}`}>
          #{tag}
        </Link>
      ))}
      {run.note ? (
        <span className={styles.note} title={run.note}>
          <span className="visually-hidden">Note: </span>
          {run.note}
        </span>
      ) : null}
    </span>
  );
}
