import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useId } from "react";
import type { Schemas } from "../api/client";
import { activityQuery } from "../api/ops";
import { ChartFrame, Legend } from "../charts/ChartFrame";
import styles from "../charts/plot.module.css";
import { seriesLook } from "../charts/series";
import { changes, stepPath, wholeTicks } from "../charts/steps";
import { useWidth } from "../charts/useWidth";
import { clock } from "../format";
import { DataTable } from "../ui/DataTable";
import { Section } from "../ui/Page";
import { Segments } from "../ui/Segments";
import { SPANS } from "./search";

const route = getRouteApi("/system");

type Minute = Schemas["BusyMinute"];

const HEIGHT = 170;
const PAD = { left: 36, right: 16, top: 10, bottom: 24 };
const FEWEST_PX = 90;

const LINES: readonly { label: string; of: (minute: Minute) => number }[] = [
  { label: "workers", of: ({ worker_count }) => worker_count },
  { label: "runs running", of: ({ running_runs }) => running_runs },
  { label: "runs queued", of: ({ queued_runs }) => queued_runs },
];

/** How busy the installation was, minute by minute. */
export function Activity() {
  const { minutes = "360" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery(activityQuery(Number(minutes)));
  const series = data?.timeseries ?? [];
  return (
    <Section title="Over time">
      <Segments
        label="Time range"
        value={minutes}
        options={SPANS}
        onChange={(next) => void navigate({ search: { minutes: next }, replace: true, resetScroll: false })}
      />
      {series.length > 1 ? <Chart series={series} /> : null}
    </Section>
  );
}

function Chart({ series }: { series: readonly Minute[] }) {
  const [box, width] = useWidth();
  const id = useId();
  const times = series.map(({ timestamp }) => Date.parse(timestamp));
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 1];
  const ticks = wholeTicks(Math.max(...series.flatMap((minute) => LINES.map(({ of }) => of(minute)))));
  const top = ticks.at(-1) ?? 1;
  const x = (at: number) => PAD.left + ((at - from) / (to - from)) * (width - PAD.left - PAD.right);
  const y = (value: number) => HEIGHT - PAD.bottom - (value / top) * (HEIGHT - PAD.top - PAD.bottom);
  const looks = LINES.map(({ label }, place) => ({ label, ...seriesLook(place) }));
  const marks = Math.max(2, Math.min(7, Math.floor(width / FEWEST_PX)));
  return (
    <ChartFrame title="Workers and runs" note="by minute" table={<Minutes series={series} />}>
      <div ref={box}>
        <svg width={width} height={HEIGHT} role="img" aria-labelledby={id} className={styles.plot}>
          <title id={id}>{`Workers, running and queued runs over ${series.length} minutes`}</title>
          <g className={styles.axes}>
            {ticks.map((tick) => (
              <g key={tick}>
                <line x1={PAD.left} x2={width - PAD.right} y1={y(tick)} y2={y(tick)} />
                <text x={PAD.left - 8} y={y(tick) + 4} textAnchor="end">
                  {tick}
                </text>
              </g>
            ))}
            {Array.from({ length: marks }, (_, place) => from + ((to - from) * place) / (marks - 1)).map(
              (at, place) => (
                <text key={at} x={x(at)} y={HEIGHT - 6} textAnchor={anchor(place, marks)}>
                  {clock(at)}
                </text>
              ),
            )}
          </g>
          {LINES.map(({ label, of }, place) => (
            <path
              key={label}
              d={stepPath(
                series.map((minute, index) => ({ at: times[index] ?? 0, value: of(minute) })),
                x,
                y,
              )}
              stroke={looks[place]?.colour}
              strokeDasharray={looks[place]?.dash}
            />
          ))}
        </svg>
      </div>
      <Legend entries={looks} />
    </ChartFrame>
  );
}

function anchor(place: number, marks: number): "start" | "middle" | "end" {
  if (place === 0) return "start";
  return place === marks - 1 ? "end" : "middle";
}

function Minutes({ series }: { series: readonly Minute[] }) {
  const rows = changes(series, (a, b) => LINES.every(({ of }) => of(a) === of(b)));
  return (
    <DataTable
      caption="When something changed"
      rows={rows}
      keyOf={({ timestamp }) => timestamp}
      columns={[
        { name: "From", isHeading: true, cell: ({ timestamp }) => clock(Date.parse(timestamp)) },
        ...LINES.map(({ label, of }) => ({ name: label, isNumber: true, cell: of })),
      ]}
    />
  );
}
