import { Link } from "@tanstack/react-router";
import type { Judgement } from "../api/labels";
import { count, decimal, moment, percent, percentNumber, points, usd } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { ModelName } from "../ui/ModelName";
import { OutcomeChip } from "../ui/OutcomeChip";
import { Card } from "../ui/Page";
import { AgreementLine } from "./AgreementLine";
import styles from "./Judgements.module.css";

type Grading = NonNullable<Judgement["before"]>;

interface Row {
  name: string;
  grading: Grading | null;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: "Grading", isHeading: true, cell: ({ name }) => name },
  { name: "By", cell: ({ grading }) => (grading ? (grading.judge ?? grading.grader) : "not finished") },
  { name: "Score", isNumber: true, cell: ({ grading }) => scoreOf(grading) },
  { name: "95 % interval", isNumber: true, isSoft: true, cell: ({ grading }) => intervalOf(grading) },
  {
    name: "Scored",
    isNumber: true,
    isSoft: true,
    cell: ({ grading }) => (grading ? `${count(grading.scored)} / ${count(grading.total)}` : "—"),
  },
  {
    name: "Kappa with annotations",
    isNumber: true,
    isSoft: true,
    cell: ({ grading }) => kappaOf(grading),
  },
  { name: "Judge cost", isNumber: true, isSoft: true, cell: ({ grading }) => costOf(grading) },
];

/** One later grading beside the first: both scores, how far they agree, and what changed. */
export function JudgementView({ runId, judgement }: { runId: string; judgement: Judgement }) {
  const { model, benchmark, before, after, changes, created_at } = judgement;
  const difference =
    before?.score && after?.score ? points(after.score.value - before.score.value) : undefined;
  return (
    <Card label={`Grading of ${model} on ${benchmark}`}>
      <div className={styles.body}>
        <h3 className={styles.title}>
          <ModelName model={model} /> on {benchmark} <span>{moment(created_at)}</span>
        </h3>
        <DataTable
          caption={`Gradings of ${model} on ${benchmark}`}
          columns={COLUMNS}
          rows={[
            { name: "of the run", grading: before },
            { name: "later", grading: after },
          ]}
          keyOf={({ name }) => name}
        />
        <p>
          {changes.total_changed === 0
            ? `No verdict changed among ${count(changes.attempts)}.`
            : `${count(changes.total_changed)} of ${count(changes.attempts)} verdicts changed: ${changed(changes)}.`}
          {difference ? ` The score moved by ${difference} points.` : ""}
        </p>
        {changes.agreement ? <AgreementLine who="The two gradings" agreement={changes.agreement} /> : null}
        <Changed runId={runId} judgement={judgement} />
      </div>
    </Card>
  );
}

function Changed({ runId, judgement }: { runId: string; judgement: Judgement }) {
  const { model, benchmark, changes } = judgement;
  if (changes.changed.length === 0) return null;
  return (
    <details className={styles.changed}>
      <summary>Verdicts that changed</summary>
      <ul>
        {changes.changed.map(({ item_id, sample, before, after }) => (
          <li key={`${item_id} ${sample}`}>
            <Link
              to="/runs/$runId/items/$itemId"
              params={{ runId, itemId: item_id }}
              search={{ benchmark, model, ...(sample > 0 ? { sample } : {}) }}
            >
              {item_id}
              {sample > 0 ? `, sample ${sample + 1}` : ""}
            </Link>
            <OutcomeChip outcome={before} /> became <OutcomeChip outcome={after} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function changed({ raised, lowered, gained, lost }: Judgement["changes"]): string {
  const parts = [
    raised > 0 ? `${count(raised)} better` : "",
    lowered > 0 ? `${count(lowered)} worse` : "",
    gained > 0 ? `${count(gained)} graded for the first time` : "",
    lost > 0 ? `${count(lost)} now without a verdict` : "",
  ];
  return parts.filter(Boolean).join(", ") || "of another kind, with the same score";
}

function scoreOf(grading: Grading | null): string {
  return grading?.score ? percent(grading.score.value) : "—";
}

function intervalOf(grading: Grading | null): string {
  const interval = grading?.score?.interval;
  return interval ? `${percentNumber(interval.low)} – ${percentNumber(interval.high)}` : "—";
}

function kappaOf(grading: Grading | null): string {
  const kappa = grading?.labels?.kappa ?? null;
  return kappa === null ? "—" : decimal(kappa, 2);
}

function costOf(grading: Grading | null): string {
  if (!grading?.judge) return "—";
  return usd(grading.judge_cost_usd);
}
