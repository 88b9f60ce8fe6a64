import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type EquivalenceTest, type Fidelity, type FidelityFacts, fidelityQuery } from "../api/fidelity";
import { runQuery } from "../api/queries";
import { typeset } from "../api/wording";
import { PairedDifference } from "../charts/PairedDifference";
import { percent, points } from "../format";
import { Badge } from "../ui/Badge";
import { type Column, DataTable } from "../ui/DataTable";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { Section } from "../ui/Page";
import { Segments } from "../ui/Segments";
import styles from "./FidelityTab.module.css";
import {
  DEFAULT_MARGIN,
  type FidelitySearch,
  MARGINS,
  type Measure,
  measuresOf,
  reachOf,
  TONES,
  VERDICTS,
} from "./fidelity";

const route = getRouteApi("/runs/$runId/fidelity");

/** Whether the models of a run are one model at several endpoints. */
export function FidelityTab() {
  const { runId } = route.useParams();
  const search = route.useSearch();
  const { margin = DEFAULT_MARGIN, ...chosen } = search;
  const { data, error } = useQuery(fidelityQuery(runId, { margin: Number(margin) / 100, ...chosen }));
  const { data: run } = useQuery(runQuery(runId));
  return (
    <>
      <Choices models={run?.models ?? []} search={search} />
      {error ? <Notice>{error.message}</Notice> : null}
      {data ? <Report found={data} /> : null}
      {data || error ? null : (
        <EmptyState title="Comparing answers">
          <p>The answers of all models are compared.</p>
        </EmptyState>
      )}
    </>
  );
}

function Choices({ models, search }: { models: readonly string[]; search: FidelitySearch }) {
  const navigate = route.useNavigate();
  const choose = (change: FidelitySearch) =>
    void navigate({ search: { ...search, ...change }, replace: true });
  return (
    <div className={styles.choices}>
      <label className={styles.reference}>
        Reference
        <select
          value={search.reference ?? models[0] ?? ""}
          onChange={({ target }) => choose({ reference: target.value })}
        >
          {models.map((model) => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
        </select>
      </label>
      <Segments
        label="Margin"
        value={search.margin ?? DEFAULT_MARGIN}
        options={MARGINS.map((value) => ({
          value,
          label: `±${value}`,
          title: `Differences within ${value} points do not matter`,
        }))}
        onChange={(margin) => choose({ margin })}
      />
    </div>
  );
}

function Report({ found }: { found: Fidelity }) {
  const own = found.noise_floor?.test ?? null;
  const tests = found.candidates.map(({ test }) => test);
  const reach = reachOf(own ? [...tests, own] : tests, found.margin);
  const models = [found.reference, ...found.candidates.map(({ facts }) => facts)];
  return (
    <>
      <Section
        title={found.headline}
        note={`difference in points, paired by item; the band is the margin of ±${pointsOf(found.margin)}`}
      >
        <div className={styles.rows}>
          {found.candidates.map(({ facts, test, sentence }) => (
            <Row key={facts.model} model={facts.model} test={test} reach={reach} margin={found.margin}>
              <Badge tone={TONES[test.verdict]}>{VERDICTS[test.verdict]}</Badge>
              <p className={styles.sentence}>{typeset(sentence)}</p>
            </Row>
          ))}
          {own ? (
            <Row model={found.reference.model} test={own} reach={reach} margin={found.margin}>
              <Badge>against itself</Badge>
            </Row>
          ) : null}
        </div>
        <ul className={styles.notes}>
          {found.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </Section>
      <Section title="Side by side" note="the verdict rests on the scores alone">
        <DataTable
          caption="How replies end, what they use and where they diverge"
          columns={columns(models)}
          rows={measuresOf(models)}
          keyOf={({ name }) => name}
        />
        {found.candidates.length > 0 ? (
          <Link
            to="/compare"
            search={{ run: [found.run_id], view: "answers", show: "different" }}
            className={styles.more}
          >
            Compare answers <Icon name="forward" size={14} />
          </Link>
        ) : null}
      </Section>
      {found.benchmarks.length > 1 && found.candidates.length > 0 ? (
        <Section title="By benchmark" note="scores on the items that both have a score for">
          <DataTable
            caption="Scores by benchmark"
            columns={BENCHMARK_COLUMNS}
            rows={found.candidates.flatMap(({ facts, benchmarks }) =>
              benchmarks.map((scores) => ({ model: facts.model, ...scores })),
            )}
            keyOf={({ model, benchmark }) => `${model} ${benchmark}`}
          />
        </Section>
      ) : null}
    </>
  );
}

interface RowProps {
  model: string;
  test: EquivalenceTest;
  reach: number;
  margin: number;
  children: React.ReactNode;
}

function Row({ model, test: { statistics, verdict }, reach, margin, children }: RowProps) {
  return (
    <article className={styles.row} aria-label={model}>
      <h3>
        <ModelName model={model} />
      </h3>
      {statistics ? (
        <div className={styles.line}>
          <PairedDifference {...statistics} verdict={verdict} reach={reach} margin={margin} />
          <p>
            <strong>{points(statistics.difference)}</strong>{" "}
            <span>
              {points(statistics.interval.low)} to {points(statistics.interval.high)}
            </span>
          </p>
        </div>
      ) : (
        <div className={styles.line} />
      )}
      {children}
    </article>
  );
}

function columns(models: readonly FidelityFacts[]): Column<Measure>[] {
  return [
    { name: "Measure", isHeading: true, cell: ({ name }) => name },
    ...models.map((facts) => ({ name: facts.model, cell: ({ of }: Measure) => of(facts) ?? "—" })),
  ];
}

interface BenchmarkRow {
  model: string;
  benchmark: string;
  candidate: number | null;
  reference: number | null;
  n: number;
}

const BENCHMARK_COLUMNS: readonly Column<BenchmarkRow>[] = [
  { name: "Candidate", isHeading: true, cell: ({ model }) => <ModelName model={model} /> },
  { name: "Benchmark", cell: ({ benchmark }) => benchmark },
  { name: "Score", isNumber: true, cell: ({ candidate }) => shown(candidate) },
  { name: "Reference", isNumber: true, isSoft: true, cell: ({ reference }) => shown(reference) },
  {
    name: "Difference",
    isNumber: true,
    cell: ({ candidate, reference }) =>
      candidate === null || reference === null ? "—" : points(candidate - reference),
  },
  { name: "Items", isNumber: true, isSoft: true, cell: ({ n }) => n },
];

function shown(score: number | null): string {
  return score === null ? "—" : percent(score);
}

function pointsOf(margin: number): string {
  return String(Number((100 * margin).toPrecision(3)));
}
