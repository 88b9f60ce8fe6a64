import { useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { EvaluationDetail, RunDetail } from "../api/client";
import { latencyQuery, runQuery } from "../api/queries";
import { type Distribution, rangeOf } from "../charts/distribution";
import { Ecdf } from "../charts/Ecdf";
import { Histogram } from "../charts/Histogram";
import { seriesLook } from "../charts/series";
import { count } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { EmptyState } from "../ui/EmptyState";
import { ModelName } from "../ui/ModelName";
import { Segments } from "../ui/Segments";
import { type LatencySearch, METRICS } from "./latency";
import styles from "./LatencyTab.module.css";

const route = getRouteApi("/runs/$runId/latency");

/** How fast the replies came: percentiles, their spread, and how the evaluations compare. */
export function LatencyTab() {
  const { runId } = route.useParams();
  const search = route.useSearch();
  const { data: run } = useQuery(runQuery(runId));
  return run ? <Latency run={run} search={search} /> : null;
}

interface Line {
  evaluation: EvaluationDetail;
  distribution: Distribution | undefined;
  stalled: number;
}

function Latency({ run, search }: { run: RunDetail; search: LatencySearch }) {
  const navigate = route.useNavigate();
  const metric = METRICS.find(({ value }) => value === search.metric) ?? METRICS[0];
  const reports = useQueries({
    queries: run.evaluations.map(({ benchmark, model }) => latencyQuery(run.id, benchmark, model)),
  });
  const lines = run.evaluations.map((evaluation, place): Line => {
    const report = reports[place]?.data;
    const found = report?.metrics[metric.value];
    const label =
      run.selected_benchmarks.length > 1
        ? `${evaluation.model} on ${evaluation.benchmark}`
        : evaluation.model;
    return {
      evaluation,
      distribution: found && { label, bins: found.bins },
      stalled: report?.stalled ?? 0,
    };
  });
  const series = lines.flatMap(({ distribution }) => distribution ?? []);
  const range = rangeOf(series);

  return (
    <>
      <Segments
        label="Measure"
        value={metric.value}
        options={METRICS}
        onChange={(value) => void navigate({ search: { metric: value }, replace: true })}
      />
      {range ? (
        <>
          <Ecdf title={metric.title} series={series} unit={metric.unit} />
          <DataTable
            caption={`${metric.title}, percentiles`}
            columns={columns(metric, range)}
            rows={lines}
            keyOf={({ evaluation }) => evaluation.id}
          />
        </>
      ) : (
        <EmptyState title="No measurements">
          <p>
            {reports.some(({ isPending }) => isPending)
              ? "Loading latencies …"
              : "A reply in a single chunk has no gaps and no rate; a failed call has no first token."}
          </p>
        </EmptyState>
      )}
    </>
  );
}

function columns(metric: (typeof METRICS)[number], range: readonly [number, number]): Column<Line>[] {
  const percentile = (name: string) => ({
    name,
    isNumber: true,
    cell: ({ evaluation }: Line) => {
      const value = evaluation.latency[metric.value]?.[name];
      return value === undefined ? "—" : metric.unit(value);
    },
  });
  return [
    {
      name: "Evaluation",
      isHeading: true,
      cell: ({ evaluation }) => (
        <>
          <ModelName model={evaluation.model} /> <span className={styles.soft}>{evaluation.benchmark}</span>
        </>
      ),
    },
    {
      name: "Spread",
      cell: ({ distribution }) =>
        distribution ? (
          <div className={styles.spread}>
            <Histogram
              bins={distribution.bins}
              range={range}
              colour={seriesLook(0).colour}
              label={`Spread of ${distribution.label}`}
            />
          </div>
        ) : null,
    },
    ...["p50", "p90", "p99", "max"].map(percentile),
    {
      name: "n",
      isNumber: true,
      isSoft: true,
      cell: ({ evaluation }) => count(evaluation.latency[metric.value]?.["n"] ?? 0),
    },
    { name: "Stalled", isNumber: true, isSoft: true, cell: ({ stalled }) => count(stalled) },
  ];
}
