import { getRouteApi } from "@tanstack/react-router";
import { LABEL_NAMES } from "../api/labels";
import { Field, inputClass } from "../ui/Field";
import { Menu } from "../ui/Menu";
import styles from "./ItemFilters.module.css";
import { type ItemsSearch, LABELS, narrowed } from "./search";

const route = getRouteApi("/runs/$runId/items");

interface Props {
  search: ItemsSearch;
  categories: readonly string[];
  hasSamples: boolean;
}

/** Filters by what the items are about, what people said of them, and what the replies took. */
export function MoreFilters({ search, categories, hasSamples }: Props) {
  const navigate = route.useNavigate();
  const change = (changed: Partial<Record<keyof ItemsSearch, unknown>>) =>
    void navigate({ search: (before) => narrowed(before, changed), replace: true });
  const { category = [], label = [], minTokens, maxTokens, minTime, maxTime } = search;
  const ends = [minTokens, maxTokens, minTime, maxTime].filter((one) => one !== undefined);
  const count = category.length + label.length + ends.length;
  return (
    <Menu label={count > 0 ? `More filters, ${count} set` : "More filters"} icon="filter" tone="quiet">
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- keeps the menu open */}
      <div className={styles.more} onClick={(event) => event.stopPropagation()}>
        {hasSamples ? (
          <fieldset className={styles.columns}>
            <legend>Rows</legend>
            <Choice
              name="Each sample in its own row"
              isChosen={search.each === true}
              onChange={() => change({ each: search.each ? undefined : true })}
            />
          </fieldset>
        ) : null}
        <Choices
          title="Annotation"
          options={LABELS.map((one) => [one, one === "none" ? "No annotation" : LABEL_NAMES[one]])}
          chosen={label}
          onChange={(next) => change({ label: next })}
        />
        {categories.length > 0 ? (
          <Choices
            title="Category"
            options={categories.map((one) => [one, one])}
            chosen={category}
            onChange={(next) => change({ category: next })}
          />
        ) : null}
        <Ends
          title="Tokens of the reply"
          least={minTokens}
          most={maxTokens}
          onLeast={(next) => change({ minTokens: next })}
          onMost={(next) => change({ maxTokens: next })}
        />
        <Ends
          title="Time in seconds"
          least={minTime}
          most={maxTime}
          onLeast={(next) => change({ minTime: next })}
          onMost={(next) => change({ maxTime: next })}
        />
      </div>
    </Menu>
  );
}

interface ChoicesProps {
  title: string;
  options: readonly (readonly [value: string, name: string])[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

function Choices({ title, options, chosen, onChange }: ChoicesProps) {
  return (
    <fieldset className={styles.columns}>
      <legend>{title}</legend>
      {options.map(([value, name]) => (
        <Choice
          key={value}
          name={name}
          isChosen={chosen.includes(value)}
          onChange={() =>
            onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
          }
        />
      ))}
    </fieldset>
  );
}

function Choice({ name, isChosen, onChange }: { name: string; isChosen: boolean; onChange: () => void }) {
  return (
    <label>
      <input type="checkbox" checked={isChosen} onChange={onChange} />
      {name}
    </label>
  );
}

interface EndsProps {
  title: string;
  least: number | undefined;
  most: number | undefined;
  onLeast: (value: string) => void;
  onMost: (value: string) => void;
}

function Ends({ title, least, most, onLeast, onMost }: EndsProps) {
  return (
    <fieldset className={styles.ends}>
      <legend>{title}</legend>
      <End label="At least" value={least} onChange={onLeast} />
      <End label="At most" value={most} onChange={onMost} />
    </fieldset>
  );
}

interface EndProps {
  label: string;
  value: number | undefined;
  onChange: (value: string) => void;
}

function End({ label, value, onChange }: EndProps) {
  return (
    <Field label={label}>
      {(wiring) => (
        <input
          {...wiring}
          className={inputClass}
          type="number"
          min={0}
          step={1}
          value={value ?? ""}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
