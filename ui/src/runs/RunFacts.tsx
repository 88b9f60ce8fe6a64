import type { ReactNode } from "react";
import type { RunDetail } from "../api/client";
import { count, moment, shortCount } from "../format";
import { RunCost } from "../ui/Cost";
import { Elapsed } from "../ui/Time";
import styles from "./RunFacts.module.css";

/** What was asked for, and what it took. */
export function RunFacts({ run }: { run: RunDetail }) {
  const tokens = run.evaluations.flatMap((one) => (one.tokens ? [one.tokens] : []));
  const sum = (part: "input" | "output") => tokens.reduce((total, one) => total + one[part], 0);
  return (
    <dl className={styles.facts}>
      <Fact name="Started">{moment(run.started_at ?? run.created_at)}</Fact>
      <Fact name="Duration">
        <Elapsed from={run.started_at} to={run.completed_at ?? run.stopped_at} />
      </Fact>
      <Fact name="Cost">
        <RunCost run={run} />
      </Fact>
      <Fact name="Tokens">
        {tokens.length > 0 ? `${shortCount(sum("input"))} in · ${shortCount(sum("output"))} out` : "—"}
      </Fact>
      <Fact name={run.items.length > 0 ? "Items" : "Subset"}>{subset(run)}</Fact>
      <Fact name="Seed">{run.subset_seed}</Fact>
      {run.judge ? <Fact name="Judge">{run.judge}</Fact> : null}
      <Fact name="Run">
        <code>{run.id}</code>
      </Fact>
      {run.code_version ? <Fact name="Made with">Assay {run.code_version}</Fact> : null}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function subset(run: RunDetail): string {
  if (run.items.length > 0) return `${count(run.items.length)} named`;
  if (run.subset_count !== null) return `${count(run.subset_count)} items`;
  return run.subset_pct === 100 ? "all items" : `${run.subset_pct} %`;
}
