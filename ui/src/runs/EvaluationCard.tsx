import { Link } from "@tanstack/react-router";
import type { Estimate, EvaluationDetail, IntervalMethod } from "../api/client";
import { isLive } from "../api/queries";
import { IntervalTrack } from "../charts/IntervalTrack";
import { OutcomeBar } from "../charts/OutcomeBar";
import { ungraded } from "../charts/outcomes";
import { count, decimal, milliseconds, percent, percentNumber, short, usd } from "../format";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { ProgressBar } from "../ui/ProgressBar";
import { StatusMark } from "../ui/StatusMark";
import styles from "./EvaluationCard.module.css";
import { EstimateTable } from "./EvaluationDetails";
import { settingsOf } from "./settings";

const METHODS: Record<IntervalMethod, string> = {
  wilson: "Wilson",
  "clopper-pearson": "Clopper–Pearson",
  "clustered-wilson": "Wilson, clustered by item",
  "bootstrap-bca": "bootstrap (BCa)",
  "exact-unanimous": "exact, all equal",
  normal: "normal",
  tango: "Tango",
  "student-t": "Student’s t",
  "clustered-t": "Student’s t, clustered by item",
  "confidence-sequence": "confidence sequence",
};

interface Props {
  runId: string;
  evaluation: EvaluationDetail;
  chance: number | undefined;
  /** What the page says of the whole run already; an error in it is not said again. */
  said: string | null;
}

/** One model on one benchmark: the score, and all that must be known before believing it. */
export function EvaluationCard({ runId, evaluation, chance, said }: Props) {
  const { score, progress, status } = evaluation;
  return (
    <article className={styles.card} aria-label={`${evaluation.model} on ${evaluation.benchmark}`}>
      <header className={styles.head}>
        <h3>
          <ModelName model={evaluation.model} />
        </h3>
        <div className={styles.side}>
          <Link
            to="/runs/$runId/items"
            params={{ runId }}
            search={{ benchmark: evaluation.benchmark, model: evaluation.model }}
            className={styles.items}
          >
            Items <Icon name="forward" size={12} />
          </Link>
          <StatusMark state={status} />
        </div>
      </header>
      {score ? <ScoreLine score={score} chance={chance} /> : null}
      {evaluation.warnings.map(({ code, message }) => (
        <Notice key={code} tone="gold">
          {message}
        </Notice>
      ))}
      {isLive(status) ? <ProgressBar {...progress} label={`Progress of ${evaluation.model}`} /> : null}
      {!score && !isLive(status) && !evaluation.error ? (
        <p className={styles.none}>
          {ungraded(evaluation.outcomes) ?? "No attempt has a verdict, so there is no score."}
        </p>
      ) : null}
      {evaluation.error && !said?.includes(evaluation.error) ? <Notice>{evaluation.error}</Notice> : null}
      <OutcomeBar counts={evaluation.outcomes} />
      {score ? <Checks evaluation={evaluation} chance={chance} /> : null}
      <Settings evaluation={evaluation} />
      {evaluation.latency["ttft_ms"] || evaluation.latency["duration_ms"] ? (
        <Speed latency={evaluation.latency} />
      ) : null}
      <div className={styles.more}>
        <EstimateTable title="Metrics" estimates={evaluation.metrics} />
        <EstimateTable title="By category" estimates={evaluation.categories} />
      </div>
    </article>
  );
}

function ScoreLine({ score, chance }: { score: Estimate; chance: number | undefined }) {
  const { value, interval, n } = score;
  return (
    <div className={styles.line}>
      <strong className={styles.value}>{percent(value)}</strong>
      <div className={styles.plot}>
        <IntervalTrack estimate={score} chance={chance} />
        <p className={styles.scale} aria-hidden="true">
          <span>0</span>
          <span>50</span>
          <span>100 %</span>
        </p>
      </div>
      <p className={styles.interval}>
        {interval ? (
          <>
            <strong>
              {percentNumber(interval.low)} – {percentNumber(interval.high)}
            </strong>{" "}
            {percent(interval.level).replace(".0", "")} interval
          </>
        ) : (
          "too few items for an interval"
        )}
        <span className={styles.method}>
          {interval ? `${METHODS[interval.method]}, ` : ""}
          <span className={styles.n}>n = {count(n)}</span>
        </span>
      </p>
    </div>
  );
}

function Checks({ evaluation, chance }: Pick<Props, "evaluation" | "chance">) {
  const { bounds, scored, total, truncated_share, cut_share, unparsed_share } = evaluation;
  const answers = evaluation.outcomes["answered"] ?? 0;
  const missing = total - scored - answers;
  return (
    <ul className={styles.checks}>
      <li>
        scored <strong>{count(scored)}</strong> of {count(total)}
        {answers > 0 ? `, ${count(answers)} not graded` : ""}
        {missing > 0 ? `, ${count(missing)} missing` : ""}
        {bounds && missing > 0
          ? ` (${percentNumber(bounds.low)} – ${percent(bounds.high)} if those were all wrong or all right)`
          : ""}
      </li>
      <Share name="truncated" of={truncated_share} />
      <Share name="cut at the token limit" of={cut_share} unless={truncated_share} />
      <Share name="unparsed" of={unparsed_share} />
      <Share name="chance level" of={chance ?? null} />
      {evaluation.stopped ? <li>{evaluation.stopped.sentence}</li> : null}
      <li>
        cost <strong>{usd(evaluation.cost_usd)}</strong>
      </li>
    </ul>
  );
}

/** What the score was made under: two scores are comparable where all of it is equal. */
function Settings({ evaluation }: { evaluation: EvaluationDetail }) {
  const { version, mode, samples, grader, judge, agreement, fingerprint, endpoint } = evaluation;
  return (
    <ul className={styles.checks} aria-label="Settings">
      <li>
        version <strong>{version}</strong>, {mode}
      </li>
      <li>{settingsOf(evaluation.generation).join(", ") || "the endpoint’s own settings"}</li>
      {samples > 1 ? <li>{count(samples)} samples of each item</li> : null}
      {endpoint?.startsWith("local code") ? <li>answered by {endpoint}</li> : null}
      <li>grader {grader}</li>
      {judge ? <li>judge {judge}</li> : null}
      {agreement ? (
        <li>
          votes agree <strong>{percent(agreement.unanimous)}</strong>
          {agreement.alpha === null ? "" : `, alpha ${decimal(agreement.alpha, 2)}`}
        </li>
      ) : null}
      <li>
        fingerprint <code title={fingerprint}>{short(fingerprint)}</code>
      </li>
    </ul>
  );
}

const SPEEDS = [
  ["ttft_ms", "first token"],
  ["max_gap_ms", "longest gap"],
  ["duration_ms", "whole reply"],
] as const;

/** How the replies came, in short; the tab on latency has the rest. */
function Speed({ latency }: { latency: EvaluationDetail["latency"] }) {
  return (
    <ul className={styles.checks}>
      {SPEEDS.map(([name, label]) => {
        const found = latency[name];
        if (!found || found["p50"] === undefined) return null;
        return (
          <li key={name}>
            {label} <strong>{milliseconds(found["p50"])}</strong> median
            {found["p99"] === undefined ? "" : `, ${milliseconds(found["p99"])} p99`}
          </li>
        );
      })}
      <li>
        tokens/s{" "}
        <strong>
          {latency["tokens_per_s"]?.["p50"] === undefined ? "—" : count(latency["tokens_per_s"]["p50"])}
        </strong>
      </li>
    </ul>
  );
}

interface ShareProps {
  name: string;
  of: number | null;
  /** A share shown already; one that reads the same is left out. */
  unless?: number | null;
}

function Share({ name, of, unless = null }: ShareProps) {
  if (of === null || (unless !== null && percent(of) === percent(unless))) return null;
  return (
    <li>
      {name} <strong>{percent(of)}</strong>
    </li>
  );
}
