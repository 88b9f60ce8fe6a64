import { Link } from "@tanstack/react-router";
import { getRouteApi } from "@tanstack/react-router";
import type { EvaluationDetail, RunDetail } from "../api/client";
import { occurred } from "../charts/outcomes";
import { count } from "../format";
import { inputClass } from "../ui/Field";
import { FilterLinks, filterLinkClass } from "../ui/FilterLinks";
import { Menu } from "../ui/Menu";
import { SearchField } from "../ui/SearchField";
import type { Columns } from "./columns";
import styles from "./ItemFilters.module.css";
import { MoreFilters } from "./MoreFilters";
import type { ItemRows } from "./rows";
import { ReviewTools } from "./ReviewBar";
import { isMode, type ItemsSearch, MODES, modesFor, narrowed } from "./search";

const route = getRouteApi("/runs/$runId/items");

interface Props {
  run: RunDetail;
  evaluation: EvaluationDetail;
  search: ItemsSearch;
  rows: ItemRows;
  columns: Columns;
}

export function ItemFilters({ run, evaluation, search, rows, columns }: Props) {
  const navigate = route.useNavigate();
  return (
    <search className={styles.filters}>
      {run.evaluations.length > 1 ? <EvaluationChoice run={run} evaluation={evaluation} /> : null}
      <SearchField
        label="Search the items"
        placeholder={rows.isMasked ? "Masked texts are not searched" : "Prompts, replies, ids"}
        isDisabled={rows.isMasked}
        value={search.q ?? ""}
        onChange={(q) => void navigate({ search: (before) => narrowed(before, { q }), replace: true })}
      />
      <FilterLinks label="Filter by outcome">
        {modesFor(evaluation.outcomes).map((mode) => (
          <Link
            key={mode.label}
            from="/runs/$runId/items"
            search={(before) => narrowed(before, { outcome: mode.outcomes })}
            aria-current={isMode(mode, search.outcome ?? []) ? "true" : undefined}
            activeOptions={{ exact: true, includeSearch: true }}
            className={filterLinkClass}
          >
            {mode.label}
          </Link>
        ))}
        <OutcomeMenu evaluation={evaluation} search={search} />
        <MoreFilters search={search} categories={rows.categories} hasSamples={evaluation.samples > 1} />
      </FilterLinks>
      <div className={styles.end}>
        {rows.isMasked ? null : <ReviewTools run={run} evaluation={evaluation} search={search} />}
        <p role="status" className={styles.total}>
          {counted(rows, search.each ? "attempt" : "item")}
        </p>
        <Menu label="Columns" icon="columns" tone="quiet" isBare>
          <fieldset className={styles.columns}>
            <legend>Columns</legend>
            {columns.all.map(({ name }) => (
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- keeps the menu open
              <label key={name} onClick={(event) => event.stopPropagation()}>
                <input
                  type="checkbox"
                  checked={columns.shown.some((one) => one.name === name)}
                  onChange={() => columns.toggle(name)}
                />
                {name}
              </label>
            ))}
          </fieldset>
        </Menu>
      </div>
    </search>
  );
}

function counted({ total, hasMore }: ItemRows, noun: string): string {
  if (total === undefined) return "";
  return `${hasMore ? "more than " : ""}${count(total)} ${noun}${total === 1 ? "" : "s"}`;
}

function EvaluationChoice({ run, evaluation }: { run: RunDetail; evaluation: EvaluationDetail }) {
  const navigate = route.useNavigate();
  return (
    <select
      className={`${inputClass} ${styles.choice}`}
      aria-label="Evaluation"
      value={evaluation.id}
      onChange={({ target }) => {
        const chosen = run.evaluations.find(({ id }) => id === target.value);
        if (!chosen) return;
        const { model, benchmark } = chosen;
        void navigate({ search: (before) => narrowed(before, { model, benchmark }) });
      }}
    >
      {run.evaluations.map(({ id, model, benchmark }) => (
        <option key={id} value={id}>
          {run.models.length > 1 ? model : benchmark}
          {run.models.length > 1 && run.selected_benchmarks.length > 1 ? ` on ${benchmark}` : ""}
        </option>
      ))}
    </select>
  );
}

function OutcomeMenu({ evaluation, search }: { evaluation: EvaluationDetail; search: ItemsSearch }) {
  const navigate = route.useNavigate();
  const chosen = search.outcome ?? [];
  const isOwn = chosen.length > 0 && !MODES.some((mode) => isMode(mode, chosen));
  return (
    <Menu label={isOwn ? `${chosen.length} chosen` : "Outcome"} icon="filter" tone="quiet">
      <fieldset className={styles.columns}>
        <legend>Outcomes</legend>
        {occurred(evaluation.outcomes).map(({ outcome, label, count: times }) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- keeps the menu open
          <label key={outcome} onClick={(event) => event.stopPropagation()}>
            <input
              type="checkbox"
              checked={chosen.includes(outcome)}
              onChange={() => {
                const next = chosen.includes(outcome)
                  ? chosen.filter((one) => one !== outcome)
                  : [...chosen, outcome];
                void navigate({ search: (before) => narrowed(before, { outcome: next }), replace: true });
              }}
            />
            {label} <small>{count(times)}</small>
          </label>
        ))}
      </fieldset>
    </Menu>
  );
}
