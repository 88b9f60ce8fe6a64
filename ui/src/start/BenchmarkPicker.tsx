import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Benchmark } from "../api/client";
import { datasetsQuery } from "../api/files";
import { benchmarksQuery } from "../api/queries";
import { namesOf } from "../catalogue/families";
import { count, percent } from "../format";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { inputClass } from "../ui/Field";
import { Section } from "../ui/Page";
import styles from "./BenchmarkPicker.module.css";
import type { PartProps } from "./NewRunPage";

const FILTER_FROM = 8;
const LICENCE_CHARACTERS = 28;
/** Benchmarks that belong together: a composite score needs all of them. */
const SUITES: Record<string, readonly string[]> = {
  "Janus suite": ["janus_research", "janus_tool_use", "janus_multimodal", "janus_streaming", "janus_cost"],
};

/** One card per installed benchmark, with what must be known before choosing it. */
export function BenchmarkPicker({ draft, problems, change }: PartProps) {
  const { data } = useQuery(benchmarksQuery);
  const [filter, setFilter] = useState("");
  const chosen = draft.benchmark ?? [];
  // Data sets have a list of their own below.
  const all = (data?.benchmarks ?? []).filter(({ name, needs_setup }) => !needs_setup && !isDataset(name));
  const part = filter.trim().toLowerCase();
  const [showsVariants, setShowsVariants] = useState(chosen.some(isVariant));
  const variants = all.filter(({ name }) => isVariant(name)).length;
  const shown = all.filter(
    (one) =>
      (showsVariants || !isVariant(one.name) || chosen.includes(one.name)) &&
      `${namesOf(one)} ${one.category.toLowerCase()}`.includes(part),
  );

  function toggle(name: string) {
    const without = chosen.filter((one) => one !== name);
    change({ benchmark: without.length < chosen.length ? without : [...chosen, name] });
  }

  return (
    <Section title="Benchmarks" note={chosen.length > 0 ? `${chosen.length} chosen` : undefined}>
      {all.length >= FILTER_FROM ? (
        <div className={styles.bar}>
          <input
            type="search"
            className={inputClass}
            aria-label="Filter benchmarks"
            placeholder="Filter benchmarks"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          {variants > 0 ? (
            <label>
              <input
                type="checkbox"
                checked={showsVariants}
                onChange={() => setShowsVariants(!showsVariants)}
              />
              Show {variants} variants
            </label>
          ) : null}
        </div>
      ) : null}
      <Suites names={all.map(({ name }) => name)} chosen={chosen} onChoose={change} />
      {problems.benchmark ? <p className={styles.problem}>{problems.benchmark}</p> : null}
      <div className={styles.cards}>
        {shown.map((one) => (
          <Choice
            key={one.name}
            card={one}
            isChosen={chosen.includes(one.name)}
            onToggle={() => toggle(one.name)}
          />
        ))}
      </div>
      <Broken names={data?.broken.map(({ name }) => name) ?? []} />
      <Datasets chosen={chosen} onToggle={toggle} />
    </Section>
  );
}

interface SuitesProps {
  names: readonly string[];
  chosen: readonly string[];
  onChoose: PartProps["change"];
}

function Suites({ names, chosen, onChoose }: SuitesProps) {
  const whole = Object.entries(SUITES).filter(([, parts]) => parts.every((part) => names.includes(part)));
  if (whole.length === 0) return null;
  return (
    <div className={styles.bar}>
      {whole.map(([title, parts]) => (
        <Button
          key={title}
          isSmall
          icon="plus"
          disabled={parts.every((part) => chosen.includes(part))}
          onClick={() => onChoose({ benchmark: [...new Set([...chosen, ...parts])] })}
        >
          {title}
        </Button>
      ))}
    </div>
  );
}

function Broken({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p className={styles.facts}>
      Installed but not usable: {names.join(", ")}.{" "}
      <Link to="/benchmarks" className={styles.link}>
        See why
      </Link>
    </p>
  );
}

/** One's own data, each version a benchmark of its own. */
function Datasets({ chosen, onToggle }: { chosen: readonly string[]; onToggle: (name: string) => void }) {
  const { data } = useQuery(datasetsQuery);
  const datasets = data?.datasets ?? [];
  if (datasets.length === 0) return null;
  return (
    <>
      <h3 className={styles.subtitle}>Your data sets</h3>
      <div className={styles.cards}>
        {datasets.map(({ id, benchmark, dataset, version, count: lines, graded }) => (
          <label key={id} className={styles.card} data-chosen={chosen.includes(benchmark)}>
            <input
              type="checkbox"
              checked={chosen.includes(benchmark)}
              onChange={() => onToggle(benchmark)}
            />
            <span className={styles.title}>
              {dataset} <code>version {version}</code>
            </span>
            <span className={styles.facts}>
              {count(lines)} lines · {graded === 0 ? "not graded" : `${count(graded)} graded`}
            </span>
          </label>
        ))}
      </div>
    </>
  );
}

/** The licence itself, without what is said about it. */
function inShort(licence: string): string {
  const named = licence.split(/[;(]/, 1)[0]?.trim() || licence;
  return named.length > LICENCE_CHARACTERS ? `${named.slice(0, LICENCE_CHARACTERS)}…` : named;
}

function isDataset(name: string): boolean {
  return name.startsWith("dataset:");
}

/** Another way to put or grade the same items, named after a colon. */
function isVariant(name: string): boolean {
  return name.includes(":") && !isDataset(name);
}

interface ChoiceProps {
  card: Benchmark;
  isChosen: boolean;
  onToggle: () => void;
}

function Choice({ card, isChosen, onToggle }: ChoiceProps) {
  return (
    <label className={styles.card} data-chosen={isChosen}>
      <input type="checkbox" checked={isChosen} onChange={onToggle} />
      <span className={styles.title}>
        {card.display_name} <code>{card.name}</code>
      </span>
      <span className={styles.facts}>
        {card.total_items > 0 ? `${count(card.total_items)} items · ` : ""}
        {card.metric}
        {card.chance > 0 ? ` · chance ${percent(card.chance)}` : ""}
      </span>
      <span className={styles.badges}>
        <Badge title={card.deviations.join("\n") || "As by its authors"}>{card.mode}</Badge>
        {card.needs.map((need) => (
          <Badge key={need} tone="gold">
            needs {need}
          </Badge>
        ))}
        {card.is_gated ? (
          <Badge tone="gold" title={card.setup_notes ?? "Its data is gated"}>
            gated
          </Badge>
        ) : null}
        {card.licence ? <Badge title={card.licence}>{inShort(card.licence)}</Badge> : null}
      </span>
    </label>
  );
}
