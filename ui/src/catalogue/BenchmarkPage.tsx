import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Benchmark } from "../api/client";
import { benchmarksQuery } from "../api/queries";
import { count, percent } from "../format";
import { buttonClass } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import { EmptyState } from "../ui/EmptyState";
import { Facts } from "../ui/Facts";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Card, PageHeader, Section } from "../ui/Page";
import { BenchmarkBadges, isOwn } from "./BenchmarkBadges";
import styles from "./BenchmarkPage.module.css";
import { originOf } from "./families";

const route = getRouteApi("/benchmarks/$name");

export function BenchmarkPage() {
  const { name } = route.useParams();
  const { data } = useQuery(benchmarksQuery);
  const card = data?.benchmarks.find((one) => one.name === name || one.aliases.includes(name));
  if (!data) return null;
  if (!card) {
    return (
      <EmptyState isPage title="Benchmark not found">
        <p>
          <Link to="/benchmarks" className={styles.link}>
            All benchmarks
          </Link>
        </p>
      </EmptyState>
    );
  }
  return card.needs_setup ? <SetupCard card={card} /> : <DataCard card={card} all={data.benchmarks} />;
}

/** What is known of a benchmark that nothing here can run, and why. */
function SetupCard({ card }: { card: Benchmark }) {
  return (
    <>
      <Link to="/benchmarks" className={styles.back}>
        <Icon name="back" size={14} /> Benchmarks
      </Link>
      <PageHeader title={card.display_name} />
      <p className={styles.badges}>
        <BenchmarkBadges card={card} />
      </p>
      <Notice tone="gold">{card.setup_notes}</Notice>
      <p className={styles.description}>{card.description}</p>
      <p className={styles.links}>
        <Outside href={card.source}>Source</Outside>
      </p>
    </>
  );
}

function DataCard({ card, all }: { card: Benchmark; all: readonly Benchmark[] }) {
  return (
    <>
      <Link to="/benchmarks" className={styles.back}>
        <Icon name="back" size={14} /> Benchmarks
      </Link>
      <PageHeader
        title={card.display_name}
        actions={
          <>
            <Link to="/leaderboard" search={{ benchmark: card.name }} className={buttonClass()}>
              <Icon name="podium" />
              Leaderboard
            </Link>
            <Link
              to="/runs/new"
              search={{ benchmark: [card.name] }}
              className={buttonClass({ tone: "primary" })}
            >
              <Icon name="play" />
              Run it
            </Link>
          </>
        }
      />
      <p className={styles.badges}>
        <BenchmarkBadges card={card} />
      </p>
      {card.setup_notes ? <Notice tone="gold">{card.setup_notes}</Notice> : null}
      <div className={styles.columns}>
        <div className={styles.text}>
          <p className={styles.description}>{card.description.replaceAll("\n", " ")}</p>
          <Section title="Differences from the official protocol">
            {card.deviations.length === 0 ? (
              <p>None.</p>
            ) : (
              <ul className={styles.deviations}>
                {card.deviations.map((deviation) => (
                  <li key={deviation}>{deviation}</li>
                ))}
              </ul>
            )}
          </Section>
          <Variants card={card} all={all} />
          <DataState card={card} />
        </div>
        <Card label="Data card">
          <Facts facts={factsOf(card)} />
          <p className={styles.links}>
            <Outside href={card.source}>Data</Outside>
            <OwnData card={card} />
            <Outside href={card.paper}>Paper</Outside>
          </p>
        </Card>
      </div>
    </>
  );
}

/** The other ways to ask and grade the same items. */
function Variants({ card, all }: { card: Benchmark; all: readonly Benchmark[] }) {
  const family = all.filter(({ name }) => name !== card.name && originOf(name) === originOf(card.name));
  if (family.length === 0) return null;
  return (
    <Section title="Variants" note="their scores are ranked separately">
      <ul className={styles.variants}>
        {family.map((one) => (
          <li key={one.name}>
            <Link to="/benchmarks/$name" params={{ name: one.name }} className={styles.link}>
              {one.display_name}
            </Link>
            <code>{one.name}</code>
            <p>{firstSentence(one.description)}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Whether the official data is here, and how to get it. */
function DataState({ card }: { card: Benchmark }) {
  if (isOwn(card)) {
    return (
      <Section title="On the command line">
        <CodeBlock label="Command">{`assay run MODEL ${card.name}`}</CodeBlock>
      </Section>
    );
  }
  return (
    <Section
      title="Data"
      note={card.is_fetched ? "on the server, checked when it is opened" : "not on the server"}
    >
      <p>
        {card.is_fetched
          ? "Runs with official data can start."
          : "Until the data is fetched on the machine that runs Assay, only the demo items can be run:"}
      </p>
      <CodeBlock label="Command">
        {card.is_fetched
          ? `assay run MODEL ${card.name}`
          : `assay data fetch ${originOf(card.name)}\nassay run MODEL ${card.name}`}
      </CodeBlock>
    </Section>
  );
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function factsOf(card: Benchmark): Record<string, string | null> {
  return {
    Name: card.name,
    Version: card.version,
    Items: card.total_items > 0 ? count(card.total_items) : null,
    Metric: card.metric,
    "Chance level": percent(card.chance),
    Grader: card.grader,
    [card.needs.includes("user_model") ? "Authors' model for the user" : "Authors' judge"]: card.judge,
    Temperature: card.temperature === null ? null : String(card.temperature),
    "Token limit": card.max_tokens === null ? null : count(card.max_tokens),
    Gated: card.is_gated ? "yes: its terms must be accepted" : null,
    Licence: card.licence || null,
    Source: card.source || null,
    Revision: card.revision || null,
  };
}

function OwnData({ card }: { card: Benchmark }) {
  const datasetId = card.source.split("/").at(-1);
  if (!isOwn(card) || !datasetId) return null;
  return (
    <Link to="/datasets/$datasetId" params={{ datasetId }} className={styles.link}>
      Its lines and results
    </Link>
  );
}

/** Only addresses of the web become links. */
function Outside({ href, children }: { href: string; children: string }) {
  if (!/^https?:\/\//.test(href)) return null;
  return (
    <a href={href} target="_blank" rel="noreferrer" className={styles.link}>
      {children} <Icon name="external" size={12} />
    </a>
  );
}
