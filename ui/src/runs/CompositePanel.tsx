import { useQuery } from "@tanstack/react-query";
import type { RunDetail } from "../api/client";
import { type CompositePart, compositeQuery, type ModelComposite } from "../api/composite";
import { isLive } from "../api/queries";
import { count, usd } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { ModelName } from "../ui/ModelName";
import { Section } from "../ui/Page";
import styles from "./CompositePanel.module.css";

/** The server reads every attempt for it: larger runs are asked about only for the suite that it was made for. */
const MOST_ATTEMPTS = 5_000;

/** Quality, speed, cost, streaming and pictures in one number, where the run has one or should have. */
export function CompositePanel({ run }: { run: RunDetail }) {
  const isSuite = run.selected_benchmarks.every((name) => name.startsWith("janus_"));
  const isAsked = !isLive(run.status) && (isSuite || run.progress.total <= MOST_ATTEMPTS);
  const { data } = useQuery({ ...compositeQuery(run.id), enabled: isAsked });
  const models = (data?.models ?? []).filter(({ is_janus, score }) => is_janus || score !== null);
  if (!data || models.length === 0) return null;
  const least = Math.round(data.minimum_quality * 100);
  return (
    <Section
      title="Composite"
      note={`out of 100; speed, cost and streaming count from a quality of ${least} % on`}
    >
      {models.map((model) => (
        <Model key={model.model} model={model} />
      ))}
    </Section>
  );
}

function Model({ model }: { model: ModelComposite }) {
  return (
    <div className={styles.model}>
      <p className={styles.score}>
        <ModelName model={model.model} />
        <strong>{model.score === null ? "none" : model.score.toFixed(1)}</strong>
        {model.high - model.low >= 0.05 ? (
          <span>
            {model.low.toFixed(1)} to {model.high.toFixed(1)} with any values for what is missing
            {model.missing.length > 0 ? `; too little is known of ${model.missing.join(", ")}` : null}
          </span>
        ) : null}
      </p>
      <DataTable
        caption={`Parts of the composite of ${model.model}`}
        columns={COLUMNS}
        rows={model.parts}
        keyOf={({ part }) => part}
      />
      {model.warm_up ? (
        <p className={styles.note}>
          Warm-up requests before the first item, not scored: {count(model.warm_up.requests)}, at{" "}
          {usd(model.warm_up.cost_usd)} cost.
        </p>
      ) : null}
    </div>
  );
}

const COLUMNS: readonly Column<CompositePart>[] = [
  { name: "Part", isHeading: true, cell: ({ part }) => part },
  {
    name: "Value",
    cell: ({ value, part }) =>
      value === null ? (
        <span className={styles.none}>no data</span>
      ) : (
        <span className={styles.value}>
          <meter min={0} max={1} value={value} aria-label={`Value of ${part}`} />
          {(100 * value).toFixed(1)}
        </span>
      ),
  },
  { name: "Weight", isNumber: true, isSoft: true, cell: ({ weight }) => weight },
  { name: "Points", isNumber: true, cell: ({ points }) => (points === null ? "—" : points.toFixed(1)) },
  { name: "Known", isNumber: true, isSoft: true, cell: ({ n, total }) => `${count(n)} of ${count(total)}` },
  { name: "Note", isSoft: true, cell: ({ note, counts }) => (counts ? note : "quality too low to count") },
];
