import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Benchmark } from "../api/client";
import { benchmarksQuery } from "../api/queries";
import { count, percent } from "../format";
import { Badge } from "../ui/Badge";
import { inputClass } from "../ui/Field";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import styles from "./BenchmarksPage.module.css";

export function BenchmarksPage() {
  const { data, error } = useQuery(benchmarksQuery);
  const [filter, setFilter] = useState("");
  const part = filter.trim().toLowerCase();
  const shown = (data?.benchmarks ?? []).filter((one) =>
    `${one.name} ${one.display_name} ${one.description}`.toLowerCase().includes(part),
  );
  const groups = Map.groupBy(shown, ({ category }) => category || "Other");
  return (
    <>
      <PageHeader
        title="Benchmarks"
        count={data ? count(data.benchmarks.length) : undefined}
        lead="What is installed, with its version, its data and how far it keeps to the official protocol."
        actions={
          <input
            type="search"
            className={inputClass}
            aria-label="Filter benchmarks"
            placeholder="Filter benchmarks"
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
          />
        }
      />
      {error ? <Notice>{error.message}</Notice> : null}
      {data?.broken.map(({ name, error: reason }) => (
        <Notice key={name}>
          <strong>{name}</strong> is installed and does not load: {reason}
        </Notice>
      ))}
      {[...groups].map(([category, benchmarks]) => (
        <Section key={category} title={category}>
          <div className={styles.cards}>
            {benchmarks.map((one) => (
              <BenchmarkCard key={one.name} card={one} />
            ))}
          </div>
        </Section>
      ))}
    </>
  );
}

function BenchmarkCard({ card }: { card: Benchmark }) {
  return (
    <Link to="/benchmarks/$name" params={{ name: card.name }} className={styles.card}>
      <h3>
        {card.display_name} <code>{card.name}</code>
      </h3>
      <p className={styles.description}>{card.description}</p>
      <p className={styles.facts}>
        {card.total_items > 0 ? `${count(card.total_items)} items · ` : ""}
        {card.metric}
        {card.chance > 0 ? ` · chance ${percent(card.chance)}` : ""}
      </p>
      <p className={styles.badges}>
        <Badge>{card.mode}</Badge>
        {card.needs.map((need) => (
          <Badge key={need} tone="gold">
            needs {need}
          </Badge>
        ))}
        {card.licence ? <Badge>{card.licence}</Badge> : null}
      </p>
    </Link>
  );
}
