import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { IntervalTrack } from "../charts/IntervalTrack";
import { count, percent, percentNumber, short } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { ModelName } from "../ui/ModelName";
import styles from "./Sides.module.css";

type Side = Schemas["Side"];

const COLUMNS: readonly Column<Side>[] = [
  { name: "Benchmark", isSoft: true, cell: ({ benchmark }) => benchmark },
  { name: "Model", isHeading: true, cell: ({ model }) => <ModelName model={model} /> },
  {
    name: "Score with 95 % interval",
    cell: ({ score }) =>
      score ? (
        <div className={styles.score}>
          <IntervalTrack estimate={score} />
          <strong>{percent(score.value)}</strong>
          <span>
            {score.interval
              ? `${percentNumber(score.interval.low)} – ${percentNumber(score.interval.high)}`
              : "no interval"}
          </span>
        </div>
      ) : (
        "no score"
      ),
  },
  {
    name: "Scored",
    isNumber: true,
    isSoft: true,
    cell: ({ scored, total }) => `${count(scored)} / ${count(total)}`,
  },
  {
    name: "Run",
    isSoft: true,
    cell: ({ run_id }) => (
      <Link to="/runs/$runId" params={{ runId: run_id }} className={styles.link}>
        {short(run_id)}
      </Link>
    ),
  },
  {
    name: "Fingerprint",
    isSoft: true,
    cell: ({ fingerprint }) => <code title={fingerprint}>{short(fingerprint)}</code>,
  },
];

/** What takes part, benchmark by benchmark. */
export function Sides({ evaluations }: { evaluations: readonly Side[] }) {
  const rows = [...Map.groupBy(evaluations, ({ benchmark }) => benchmark).values()].flat();
  return (
    <DataTable
      caption="Evaluations"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ evaluation_id }) => evaluation_id}
    />
  );
}
