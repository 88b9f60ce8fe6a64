import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type LoadLevel, type LoadTestDetail, loadTestQuery } from "../api/load";
import { LoadCurve } from "../charts/LoadCurve";
import type { LoadSeries } from "../charts/loadCurve";
import { count, milliseconds, moment, percent, rate } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { EmptyState } from "../ui/EmptyState";
import { Facts } from "../ui/Facts";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Card, PageHeader, Section } from "../ui/Page";
import styles from "./Load.module.css";
import { axisOf, factsOf, stagesText } from "./wording";

const route = getRouteApi("/load/$testId");
const POINTS = ["p50", "p90", "p99"];

/** One load test: what was measured at each load. */
export function LoadTestPage() {
  const { testId } = route.useParams();
  const { data, error } = useQuery(loadTestQuery(testId));
  if (error)
    return (
      <EmptyState isPage title="Load test not found">
        {error.message}
      </EmptyState>
    );
  return data ? <Detail test={data} /> : null;
}

function Detail({ test }: { test: LoadTestDetail }) {
  const { spec, levels } = test;
  const marked = levels.filter(({ distortions }) => distortions.length > 0);
  return (
    <>
      <Link to="/load" className={styles.back}>
        <Icon name="back" size={14} /> Load tests
      </Link>
      <PageHeader
        title={spec.name || spec.model}
        count={stagesText(spec)}
        lead={`${spec.name ? `${spec.model}, ` : ""}${moment(test.created_at)}`}
      />
      {marked.length > 0 ? (
        <Notice tone="gold">
          The generator may have distorted what it measured; these points are hollow.
          <ul className={styles.reasons}>
            {marked.map(({ load, distortions }, place) => (
              // oxlint-disable-next-line react/no-array-index-key -- two stages may have the same load
              <li key={place}>
                At {figure(load)}: {distortions.join("; ")}.
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      <Curves test={test} />
      <Section title="All load levels" note={test.notes.join(" ")}>
        <DataTable
          caption="Measurements at each load level"
          columns={columns(test)}
          rows={levels.map((level, place) => ({ level, place }))}
          keyOf={({ place }) => String(place)}
        />
      </Section>
      <Section title="Configuration">
        <Card>
          <Facts facts={factsOf(test)} />
        </Card>
      </Section>
    </>
  );
}

function Curves({ test: { spec, levels } }: { test: LoadTestDetail }) {
  const axis = axisOf(spec.loop);
  const from = spec.loop === "open" ? "from when a request was due" : "from sending";
  const replies: LoadSeries[] = [
    series("answered", levels, (level) => level.requests_per_s),
    ...(spec.goodput ? [series("good", levels, (level) => level.good_per_s)] : []),
  ];
  return (
    <div className={styles.curves}>
      <LoadCurve
        title="Time to first token"
        note={from}
        series={quantiles(levels, "ttft_ms")}
        axis={axis}
        unit={milliseconds}
      />
      <LoadCurve
        title="Inter-token latency"
        note="gaps between chunks"
        series={quantiles(levels, "itl_ms")}
        axis={axis}
        unit={milliseconds}
      />
      <LoadCurve
        title="End-to-end latency"
        note={from}
        series={quantiles(levels, "e2e_ms")}
        axis={axis}
        unit={milliseconds}
      />
      <LoadCurve
        title={spec.goodput ? "Throughput and goodput" : "Throughput"}
        note={spec.goodput ?? "replies per second"}
        series={replies}
        axis={axis}
        unit={rate}
      />
    </div>
  );
}

function quantiles(levels: readonly LoadLevel[], measure: string): LoadSeries[] {
  return POINTS.map((point) => series(point, levels, ({ latency }) => latency[measure]?.[point] ?? null));
}

function series(
  label: string,
  levels: readonly LoadLevel[],
  value: (level: LoadLevel) => number | null,
): LoadSeries {
  return {
    label,
    points: levels.map((level) => ({
      load: level.load,
      value: value(level),
      isDoubtful: level.distortions.length > 0,
    })),
  };
}

interface Row {
  level: LoadLevel;
  place: number;
}

function columns({ spec }: LoadTestDetail): Column<Row>[] {
  const isOpen = spec.loop === "open";
  return [
    {
      name: isOpen ? "Due per second" : "Clients",
      isHeading: true,
      cell: ({ level }) => `${figure(level.load)}${level.is_slice ? " (ramp)" : ""}`,
    },
    { name: "Due", isNumber: true, cell: ({ level }) => count(level.due) },
    { name: "Answered", isNumber: true, cell: ({ level }) => count(level.answered) },
    { name: "Failed", isNumber: true, isSoft: true, cell: ({ level }) => failures(level.errors) },
    { name: "Replies", isNumber: true, cell: ({ level }) => rate(level.requests_per_s) },
    {
      name: "Tokens/s",
      isNumber: true,
      cell: ({ level: { output_tokens_per_s: tokens } }) => (tokens === null ? "—" : count(tokens)),
    },
    ...(spec.goodput ? [{ name: "Good", isNumber: true, cell: ({ level }: Row) => good(level) }] : []),
    quantile("TTFT p50", "ttft_ms", "p50"),
    quantile("TTFT p99", "ttft_ms", "p99"),
    ...(isOpen ? [quantile("Sent TTFT p99", "ttft_sent_ms", "p99")] : []),
    quantile("ITL p99", "itl_ms", "p99"),
    quantile("E2E p50", "e2e_ms", "p50"),
    quantile("E2E p99", "e2e_ms", "p99"),
    { name: "Concurrency", isNumber: true, isSoft: true, cell: ({ level }) => count(level.most_in_flight) },
    { name: "Stalled", isNumber: true, isSoft: true, cell: ({ level }) => count(level.stalled) },
    {
      name: "Generator late",
      isNumber: true,
      isSoft: true,
      cell: ({ level: { lag } }) => time(Math.max(lag.start_ms["p99"] ?? 0, lag.loop_ms["p99"] ?? 0)),
    },
  ];
}

function quantile(name: string, measure: string, point: string): Column<Row> {
  return { name, isNumber: true, cell: ({ level }) => time(level.latency[measure]?.[point]) };
}

function good({ good: kept, due }: LoadLevel): string {
  return kept === null || due === 0 ? "—" : percent(kept / due);
}

function failures(errors: LoadLevel["errors"]): string {
  const texts = Object.entries(errors).map(([name, times]) => `${count(times ?? 0)} ${name}`);
  return texts.join(", ") || "0";
}

function time(ms: number | undefined): string {
  return ms === undefined ? "—" : milliseconds(ms);
}

function figure(load: number): string {
  return String(Number(load.toPrecision(3)));
}
