import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Benchmark } from "../api/client";
import { benchmarksQuery } from "../api/queries";
import { count, percent } from "../format";
import { Badge } from "../ui/Badge";
import { buttonClass } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import { EmptyState } from "../ui/EmptyState";
import { Facts } from "../ui/Facts";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Card, PageHeader, Section } from "../ui/Page";
import styles from "./BenchmarkPage.module.css";

const route = getRouteApi("/benchmarks/$name");

export function BenchmarkPage() {
  const { name } = route.useParams();
  const { data } = useQuery(benchmarksQuery);
  const card = data?.benchmarks.find((one) => one.name === name);
  if (!data) return null;
  if (!card) {
    return (
      <EmptyState title="There is no such benchmark">
        <p>
          <Link to="/benchmarks" className={styles.link}>
            All benchmarks
          </Link>
        </p>
      </EmptyState>
    );
  }
  return <DataCard card={card} />;
}

function DataCard({ card }: { card: Benchmark }) {
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
        <Badge>{card.mode}</Badge>
        {card.needs.map((need) => (
          <Badge key={need} tone="gold">
            needs {need}
          </Badge>
        ))}
        {card.licence ? <Badge>{card.licence}</Badge> : null}
      </p>
      {card.setup_notes ? <Notice tone="gold">{card.setup_notes}</Notice> : null}
      <div className={styles.columns}>
        <div className={styles.text}>
          <p className={styles.description}>{card.description.replaceAll("\n", " ")}</p>
          <Section title="Where it leaves the official protocol">
            {card.deviations.length === 0 ? (
              <p>Nowhere.</p>
            ) : (
              <ul className={styles.deviations}>
                {card.deviations.map((deviation) => (
                  <li key={deviation}>{deviation}</li>
                ))}
              </ul>
            )}
          </Section>
          <Section title="On the command line">
            <CodeBlock label="Command">{`assay data fetch ${card.name}\nassay run MODEL ${card.name}`}</CodeBlock>
          </Section>
        </div>
        <Card label="Data card">
          <Facts facts={factsOf(card)} />
          <p className={styles.links}>
            <Outside href={card.source}>Data</Outside>
            <Outside href={card.paper}>Paper</Outside>
          </p>
        </Card>
      </div>
    </>
  );
}

function factsOf(card: Benchmark): Record<string, string | null> {
  return {
    Name: card.name,
    Version: card.version,
    Items: card.total_items > 0 ? count(card.total_items) : null,
    Metric: card.metric,
    "Chance level": percent(card.chance),
    Licence: card.licence || null,
    Source: card.source || null,
    Revision: card.revision || null,
  };
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
