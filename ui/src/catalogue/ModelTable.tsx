import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schemas } from "../api/client";
import { count, shortCount, usd } from "../format";
import { Badge } from "../ui/Badge";
import { buttonClass } from "../ui/Button";
import { type Column, DataTable } from "../ui/DataTable";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import styles from "./ModelsPage.module.css";

type Model = Schemas["Model"];

const COLUMNS: readonly Column<Model>[] = [
  {
    name: "Model",
    isHeading: true,
    cell: ({ id, name, tagline, is_active }) => (
      <>
        <ModelName model={id} /> {is_active ? null : <Badge tone="gold">inactive</Badge>}
        {tagline || name !== id ? <p className={styles.tagline}>{tagline ?? name}</p> : null}
      </>
    ),
  },
  { name: "Input, $ per M tokens", isNumber: true, cell: (one) => price(one.input_usd_per_million) },
  { name: "Output, $ per M tokens", isNumber: true, cell: (one) => price(one.output_usd_per_million) },
  {
    name: "Context",
    isNumber: true,
    cell: ({ context_tokens }) => (context_tokens === null ? <Unknown /> : shortCount(context_tokens)),
  },
  {
    name: "Actions",
    isNumber: true,
    cell: ({ id }) => (
      <span className={styles.actions}>
        <Link to="/" search={{ model: id }} className={buttonClass({ tone: "quiet", isSmall: true })}>
          Runs
        </Link>
        <Link to="/runs/new" search={{ model: [id] }} className={buttonClass({ isSmall: true })}>
          <Icon name="play" size={12} />
          Run
        </Link>
      </span>
    ),
  },
];

function price(amount: number | null): ReactNode {
  return amount === null ? <Unknown /> : usd(amount);
}

/** A price that is not published is unknown, never 0. */
function Unknown() {
  return <span className={styles.unknown}>unknown</span>;
}

interface Props {
  page: { models: readonly Model[]; total: number };
  isFiltered: boolean;
}

export function ModelTable({ page: { models, total }, isFiltered }: Props) {
  if (models.length === 0) {
    return (
      <EmptyState title={isFiltered ? "No model matches" : "No model is listed"}>
        <p>A model that is not listed can still be run: enter its name in a new run.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable caption="Models" columns={COLUMNS} rows={models} keyOf={({ id }) => id} />
      {total > models.length ? (
        <p className={styles.more}>
          The first {count(models.length)} of {count(total)}; filter to see others.
        </p>
      ) : null}
    </>
  );
}
