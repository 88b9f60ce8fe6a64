import { Link } from "@tanstack/react-router";
import type { Verification } from "../api/files";
import { count, moment, percent } from "../format";
import { Facts } from "../ui/Facts";
import { Icon, type IconName } from "../ui/Icon";
import { Card } from "../ui/Page";
import styles from "./Findings.module.css";

type Result = Verification["checks"][number];

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
    Benchmarks: count(result.benchmark_count),
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
