import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { EvaluationDetail, RunDetail } from "../api/client";
import { runQuery } from "../api/queries";
import { count, moment, namedItems, usd } from "../format";
import { Facts } from "../ui/Facts";
import { Card, Section } from "../ui/Page";
import { CodeBlock } from "../ui/CodeBlock";
import { ModelName } from "../ui/ModelName";
import { byBenchmark } from "./order";
import { settingsOf } from "./settings";
import { ruleOf } from "./stopRule";
import styles from "./ConfigTab.module.css";

const route = getRouteApi("/runs/$runId");

/** What was asked for, and all that two scores must share to be comparable. */
export function ConfigTab() {
  const { runId } = route.useParams();
  const { data: run } = useQuery(runQuery(runId));
  if (!run) return null;
  return (
    <>
      <Section title="The run">
        <Card>
          <Facts facts={runFacts(run)} />
        </Card>
      </Section>
      <Section title="Provenance" note="Scores with equal fingerprints are comparable.">
        <div className={styles.cards}>
          {byBenchmark(run, run.evaluations).map((one) => (
            <Card key={one.id} label={`${one.model} on ${one.benchmark}`}>
              <h3 className={styles.title}>
                <ModelName model={one.model} /> <span>on {one.benchmark}</span>
              </h3>
              <Facts facts={provenance(one)} isMono />
            </Card>
          ))}
        </div>
      </Section>
      <Section title="API response">
        <CodeBlock label="The run as JSON" isTall>
          {JSON.stringify(run, null, 2)}
        </CodeBlock>
      </Section>
    </>
  );
}

function runFacts(run: RunDetail): Record<string, string | null> {
  return {
    Id: run.id,
    Name: run.name || null,
    Tags: run.tags.join(", ") || null,
    Note: run.note || null,
    Models: run.models.join(", "),
    Benchmarks: run.selected_benchmarks.join(", "),
    Data: run.data,
    ...scope(run),
    Seed: run.subset_seed,
    "Samples per item": count(run.samples),
    "Stops early": run.stop && ruleOf(run.stop),
    Concurrency: run.max_connections === null ? "the server’s default" : count(run.max_connections),
    Budget: budget(run),
    Priority: count(run.priority),
    Judge: run.judge,
    Owner: run.owner,
    Created: moment(run.created_at),
    Started: run.started_at && moment(run.started_at),
    Ended: run.completed_at && moment(run.completed_at),
    "Made with": `Assay ${run.code_version}${run.git_sha ? ` (${run.git_sha})` : ""}`,
  };
}

function scope(run: RunDetail): Record<string, string> {
  if (run.items.length > 0) return { Items: namedItems(run.items) };
  return { Subset: run.subset_count === null ? `${run.subset_pct} %` : `${count(run.subset_count)} items` };
}

function budget({ budget_usd, budget_tokens }: RunDetail): string {
  const parts = [
    budget_usd === null ? "" : usd(budget_usd),
    budget_tokens === null ? "" : `${count(budget_tokens)} tokens`,
  ].filter(Boolean);
  return parts.join(", ") || "none";
}

function provenance(one: EvaluationDetail): Record<string, string | null> {
  const price = one.price;
  return {
    Fingerprint: one.fingerprint,
    Version: `${one.version}, ${one.mode} protocol`,
    Data: one.data.source,
    Revision: one.data.revision,
    Checksum: one.data.checksum,
    Grader: one.grader,
    Judge: one.judge,
    Agent: one.agent,
    Endpoint: one.endpoint,
    Generation: settingsOf(one.generation).join(", ") || "the endpoint’s own settings",
    Price: price
      ? `${usd(price.input_usd_per_million)} in, ${usd(price.output_usd_per_million)} out, per million tokens (${price.source})`
      : "unknown",
    Retried: `${count(one.retried)} ${one.retried === 1 ? "attempt" : "attempts"}`,
    Reused: `${count(one.reused)} ${one.reused === 1 ? "answer" : "answers"}`,
  };
}
