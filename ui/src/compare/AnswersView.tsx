import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { answersQuery, type Likeness, type Shown } from "../api/answers";
import type { Schemas } from "../api/client";
import { turnsOf } from "../api/messages";
import { IntervalTrack } from "../charts/IntervalTrack";
import { count, milliseconds, percent, usd } from "../format";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { type Column, DataTable } from "../ui/DataTable";
import { EmptyState } from "../ui/EmptyState";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { Section } from "../ui/Page";
import { Segments } from "../ui/Segments";
import { AnswerHead } from "./AnswerHead";
import styles from "./Answers.module.css";
import { Differences } from "../ui/Differences";
import { AnswerText } from "./AnswerText";
import type { CompareSearch } from "./search";
import sideStyles from "./Sides.module.css";

const route = getRouteApi("/compare");

type Side = Schemas["Side"];
type Row = Schemas["AnswerRow"];
type Pair = Schemas["PairAgreement"];

const LONGEST = 1_200;

const SHOWN: readonly { value: Shown; label: string }[] = [
  { value: "all", label: "All" },
  { value: "different", label: "Different" },
  { value: "same", label: "Same" },
];

const LIKENESSES: readonly { value: Likeness; label: string; title: string }[] = [
  {
    value: "normalised",
    label: "Loosely",
    title: "Ignores letter case, white space and punctuation at the ends",
  },
  { value: "exact", label: "Exactly", title: "Every character counts" },
];

/** What each model said, side by side: it needs no key, only the same questions. */
export default function AnswersView({ search, sides }: { search: CompareSearch; sides: readonly Side[] }) {
  const navigate = route.useNavigate();
  const [show, by] = [search.show ?? "all", search.by ?? "normalised"];
  const pages = useInfiniteQuery(answersQuery(sides, show, by));
  const first = pages.data?.pages[0];
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  if (pages.error) return <Notice tone="gold">{pages.error.message}</Notice>;
  return (
    <>
      {first ? <Agreement pairs={first.agreement} /> : null}
      <div className={styles.bar}>
        <Segments
          label="Which answers"
          value={show}
          options={SHOWN}
          onChange={(next) =>
            void navigate({ search: (before) => ({ ...before, show: next }), replace: true })
          }
        />
        <Segments
          label="When answers count as the same"
          value={by}
          options={LIKENESSES}
          onChange={(next) => void navigate({ search: (before) => ({ ...before, by: next }), replace: true })}
        />
        <p role="status">
          {first ? `${count(first.total)} ${first.total === 1 ? "item" : "items"}` : "Reading the answers …"}
        </p>
      </div>
      {first?.total === 0 ? (
        <EmptyState title="No matches">
          <p>Choose other answers above.</p>
        </EmptyState>
      ) : null}
      {rows.map((row) => (
        <Item key={row.item_id} row={row} sides={sides} />
      ))}
      {pages.hasNextPage ? (
        <Button isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </>
  );
}

const PAIRS: readonly Column<Pair>[] = [
  {
    name: "Models",
    isHeading: true,
    cell: ({ model_a, model_b }) => (
      <>
        <ModelName model={model_a} /> <span className={styles.soft}>and</span> <ModelName model={model_b} />
      </>
    ),
  },
  {
    name: "Agree, with 95 % interval",
    cell: ({ agreement_rate: rate }) =>
      rate ? (
        <div className={sideStyles.score}>
          <IntervalTrack estimate={rate} />
          <strong>{percent(rate.value)}</strong>
        </div>
      ) : (
        "—"
      ),
  },
  { name: "The same", isNumber: true, cell: ({ identical }) => count(identical) },
  { name: "Different", isNumber: true, cell: ({ different }) => count(different) },
  {
    name: "Both answered",
    isNumber: true,
    isSoft: true,
    cell: ({ total_compared }) => count(total_compared),
  },
];

function Agreement({ pairs }: { pairs: readonly Pair[] }) {
  return (
    <Section title="Agreement between models" note="regardless of correctness; first samples only">
      <DataTable
        caption="Agreement"
        columns={PAIRS}
        rows={pairs}
        keyOf={(one) => `${one.evaluation_id_a} ${one.evaluation_id_b}`}
      />
    </Section>
  );
}

function Item({ row, sides }: { row: Row; sides: readonly Side[] }) {
  const baseline = row.cells[0]?.answer;
  return (
    <article className={styles.item} aria-label={`Item ${row.item_id}`}>
      <header>
        <h3>
          <code>{row.item_id}</code>
          {row.is_same === null ? null : (
            <Badge tone={row.is_same ? "plain" : "gold"}>{row.is_same ? "the same" : "different"}</Badge>
          )}
        </h3>
        {row.expected ? (
          <p>
            expected <code>{row.expected}</code>
          </p>
        ) : null}
      </header>
      <p className={styles.question}>{questionOf(row.prompt)}</p>
      <div className={styles.answers}>
        {sides.map((side, place) => (
          <Cell
            key={side.evaluation_id}
            side={side}
            itemId={row.item_id}
            cell={row.cells[place] ?? null}
            other={place === 0 ? undefined : baseline}
          />
        ))}
      </div>
    </article>
  );
}

interface CellProps {
  side: Side;
  itemId: string;
  cell: Row["cells"][number] | null;
  /** The answer that this one is held against. */
  other: string | undefined;
}

function Cell({ side, itemId, cell, other }: CellProps) {
  return (
    <div className={styles.side}>
      <AnswerHead side={side} itemId={itemId} outcome={cell?.outcome}>
        {cell?.label ? <Badge tone="gold">{cell.label}</Badge> : null}
      </AnswerHead>
      {cell ? (
        <>
          <AnswerText model={side.model}>
            {cell.answer ? (
              <Differences text={cell.answer} other={other} />
            ) : (
              <em>{cell.error ?? "empty"}</em>
            )}
          </AnswerText>
          <p className={styles.note}>{factsOf(cell)}</p>
        </>
      ) : (
        <p className={styles.note}>not asked</p>
      )}
    </div>
  );
}

/** A prompt may hold whole documents; its beginning tells it from the others. */
function questionOf(prompt: string): string {
  const text = turnsOf(prompt)
    .map((turn) => turn.text)
    .join("\n\n");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}

function factsOf(cell: NonNullable<Row["cells"][number]>): string {
  return [
    milliseconds(cell.latency_ms),
    cell.output_tokens === null ? "" : `${count(cell.output_tokens)} tokens`,
    cell.cost_usd === null ? "" : usd(cell.cost_usd),
    cell.note ?? "",
  ]
    .filter(Boolean)
    .join(" · ");
}
