import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Benchmark } from "../api/client";
import { benchmarksQuery } from "../api/queries";
import { count, percent } from "../format";
import { EmptyState } from "../ui/EmptyState";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import { SearchField } from "../ui/SearchField";
import { BenchmarkBadges } from "./BenchmarkBadges";
import styles from "./BenchmarksPage.module.css";
import { type Family, familiesOf, namesOf, variantName } from "./families";

const route = getRouteApi("/benchmarks");

export function BenchmarksPage() {
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending } = useQuery(benchmarksQuery);
  const part = q.toLowerCase();
  const shown = familiesOf(data?.benchmarks ?? []).filter(({ card, variants }) =>
    [card, ...variants].some((one) => `${namesOf(one)} ${one.description.toLowerCase()}`.includes(part)),
  );
  const groups = Map.groupBy(shown, ({ card }) => card.category || "Other");
  return (
    <>
      <PageHeader
        title="Benchmarks"
        count={data ? count(familiesOf(data.benchmarks).length) : undefined}
        lead="What is installed, with its version, its data and how closely it follows the official protocol; and what needs setup before it can be run."
        actions={
          <SearchField
            label="Filter benchmarks"
            value={q}
            onChange={(typed) => void navigate({ search: typed ? { q: typed } : {}, replace: true })}
          />
        }
      />
      {error ? <Notice>{error.message}</Notice> : null}
      {isPending ? <p role="status">Loading benchmarks …</p> : null}
      {data?.broken.map(({ name, error: reason }) => (
        <Notice key={name}>
          <strong>{name}</strong> is installed and does not load: {reason}
        </Notice>
      ))}
      {data && shown.length === 0 ? <EmptyState title="No matches">Change the filter.</EmptyState> : null}
      {[...groups].map(([category, families]) => (
        <Section key={category} title={category}>
          <ul className={styles.cards}>
            {families.map((one) => (
              <BenchmarkCard key={one.card.name} family={one} />
            ))}
          </ul>
        </Section>
      ))}
    </>
  );
}

function BenchmarkCard({ family: { card, variants } }: { family: Family<Benchmark> }) {
  return (
    <li className={styles.card}>
      <h3>
        <Link to="/benchmarks/$name" params={{ name: card.name }} className={styles.title}>
          {card.display_name}
        </Link>{" "}
        <code>{card.name}</code>
      </h3>
      <p className={styles.description}>{card.description}</p>
      <p className={styles.facts}>
        {card.total_items > 0 ? `${count(card.total_items)} items · ` : ""}
        {card.metric}
        {card.chance > 0 ? ` · chance ${percent(card.chance)}` : ""}
      </p>
      <p className={styles.badges}>
        <BenchmarkBadges card={card} />
      </p>
      {variants.length > 0 ? (
        <p className={styles.variants}>
          {variants.length === 1 ? "Variant" : "Variants"}:{" "}
          {variants.map(({ name, display_name }) => (
            <Link key={name} to="/benchmarks/$name" params={{ name }} title={display_name}>
              {variantName(name)}
            </Link>
          ))}
        </p>
      ) : null}
    </li>
  );
}
