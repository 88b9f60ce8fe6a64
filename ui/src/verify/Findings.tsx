import { Link } from "@tanstack/react-router";
import type { Verification } from "../api/files";
import { count, moment, percent, percentNumber } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { Facts } from "../ui/Facts";
import { Icon, type IconName } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Card, Section } from "../ui/Page";
import styles from "./Findings.module.css";

type Result = Verification["checks"][number];
type ProvenScore = Verification["scores"][number];

const VERDICTS: Record<Verification["verdict"], { title: string; icon: IconName }> = {
  proven: { title: "Proven", icon: "shield" },
  refuted: { title: "Refuted", icon: "cross" },
  undecided: { title: "Not decided", icon: "question" },
  not_an_export: { title: "Not an Assay export", icon: "question" },
};

const MEANINGS: Record<Result["check"], string> = {
  archive: "The file is a complete Assay export",
  key: "The key that signed it is one this server trusts",
  signature: "The signature matches the manifest: it was not changed after signing",
  "results-hash": "The results are those the manifest was made for",
  "run-id": "Manifest and results belong to the same run",
  attempts: "Every planned attempt is included exactly once",
  merkle: "The attempts match the Merkle root",
  fingerprints: "The fingerprints match the stated conditions",
  aggregates: "Every score follows from the attempts, recomputed",
  stopping: "The run stopped where its rule says, decided again from the scores",
  item: "The item belongs to this export",
  rescore: "The graders give the same verdicts again",
};

const STATUS: Record<Result["status"], { label: string; icon: IconName }> = {
  passed: { label: "passed", icon: "check" },
  failed: { label: "failed", icon: "cross" },
  unknown: { label: "not checked", icon: "question" },
};

/** Each check with its meaning, and what they amount to in words. */
export function Findings({ result, name }: { result: Verification; name: string }) {
  const verdict = VERDICTS[result.verdict];
  const failed = result.checks.filter(({ status }) => status === "failed").length;
  return (
    <section className={styles.findings} aria-label={`Findings on ${name}`}>
      <header className={styles.verdict} data-verdict={result.verdict}>
        <Icon name={verdict.icon} size={28} />
        <div>
          <h2>{verdict.title}</h2>
          <p>
            {name}
            {failed > 0 ? ` · ${failed} of ${result.checks.length} checks failed` : ""}
          </p>
        </div>
      </header>
      {failed === 0 ? <Scores result={result} /> : null}
      {result.errors.length > 0 && failed === 0 ? (
        <ul className={styles.errors}>
          {result.errors.map((error) => (
            <li key={error}>{error}</li>
          ))}
        </ul>
      ) : null}
      <ol className={styles.checks} aria-label="Checks">
        {result.checks.map(({ check, status, detail }) => (
          <li key={check} data-status={status}>
            <Icon name={STATUS[status].icon} />
            <div>
              <strong>{MEANINGS[check]}</strong>
              {detail ? <p>{detail}</p> : null}
            </div>
            <span>{STATUS[status].label}</span>
          </li>
        ))}
      </ol>
      <div className={styles.words}>
        <Words title="What this proves" lines={result.proven} />
        <Words title="What it cannot prove" lines={result.not_proven} />
      </div>
      <Card label="Contents of the file">
        <Facts facts={claims(result)} />
        {result.run_id ? (
          <Link to="/runs/$runId" params={{ runId: result.run_id }} className={styles.link}>
            Find this run on this server
          </Link>
        ) : null}
      </Card>
    </section>
  );
}

const COLUMNS: readonly Column<ProvenScore>[] = [
  { name: "Model", isHeading: true, cell: ({ model }) => <ModelName model={model} /> },
  { name: "Benchmark", cell: ({ benchmark }) => benchmark },
  {
    name: "Score",
    isNumber: true,
    cell: ({ score }) => (score ? <strong className={styles.score}>{percent(score.value)}</strong> : "none"),
  },
  {
    name: "Interval",
    isNumber: true,
    isSoft: true,
    cell: ({ score }) =>
      score?.interval
        ? `${percentNumber(score.interval.low)} – ${percentNumber(score.interval.high)}`
        : "no interval",
  },
  {
    name: "Scored",
    isNumber: true,
    isSoft: true,
    cell: ({ scored, total }) => `${count(scored)} of ${count(total)}`,
  },
];

/** What it was verified for: the scores, as the attempts inside give them. */
function Scores({ result }: { result: Verification }) {
  if (result.scores.length === 0) return null;
  const isProven = result.verdict === "proven";
  return (
    <Section
      title={isProven ? "Proven scores" : "Scores, not proven"}
      note={
        isProven ? "recomputed from the attempts inside" : "they follow from the attempts inside, no more"
      }
    >
      <DataTable
        caption="Scores"
        columns={COLUMNS}
        rows={result.scores}
        keyOf={({ model, benchmark }) => `${model} ${benchmark}`}
      />
    </Section>
  );
}

function Words({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

function claims(result: Verification): Record<string, string | null> {
  const { named_items, subset_count, subset_pct } = result;
  return {
    Run: result.run_id,
    Model: result.model_slug,
    Status: result.run_status,
    "Overall score": result.overall_score === null ? null : percent(result.overall_score),
    Subset: named_items ? `${count(named_items)} named items` : subsetOf(subset_pct, subset_count),
    Seed: result.subset_seed,
    Evaluations: count(result.benchmark_count),
    Attempts: count(result.attempts),
    Exported: result.exported_at && readableMoment(result.exported_at),
    "Signed by": result.public_key_fingerprint,
  };
}

/** A stranger's file may call anything a date. */
function readableMoment(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : moment(text);
}

function subsetOf(share: number | null, items: number | null): string | null {
  if (items !== null) return `${count(items)} items`;
  return share === null ? null : `${share} %`;
}
