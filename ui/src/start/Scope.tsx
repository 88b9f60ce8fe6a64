import { namedItems } from "../format";
import { Button } from "../ui/Button";
import { Field, inputClass } from "../ui/Field";
import { Section } from "../ui/Page";
import { Segments } from "../ui/Segments";
import type { DataChoice } from "./draft";
import type { PartProps } from "./NewRunPage";
import { SampleSize } from "./SampleSize";
import styles from "./Scope.module.css";

const SHARES = ["1", "5", "10", "25", "50", "100"] as const;
const COUNT = "n";

/** Which items, and how often. */
export function Scope({ draft, problems, change }: PartProps) {
  return (
    <Section title="Items">
      <div className={styles.grid}>
        <div className={styles.wide}>
          <p className={styles.label}>Data</p>
          <Segments<DataChoice>
            label="Data"
            value={draft.data ?? "official"}
            options={[
              { value: "official", label: "Official" },
              { value: "demo", label: "Demo items", title: "A few items of our own, for trying things out" },
            ]}
            onChange={(data) => change({ data })}
          />
        </div>
        {draft.item?.length ? (
          <NamedItems ids={draft.item} problem={problems.item} onDrop={() => change({ item: [] })} />
        ) : (
          <Subset draft={draft} problems={problems} change={change} />
        )}
        <SampleSize draft={draft} change={change} />
        <Field label="Seed" hint="Leave empty to ask the same items as other runs." problem={problems.seed}>
          {(wiring) => (
            <input
              {...wiring}
              className={inputClass}
              placeholder="fixed"
              value={draft.seed ?? ""}
              onChange={(event) => change({ seed: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Samples per item"
          hint="More samples show how consistent a model is."
          problem={problems.samples}
        >
          {(wiring) => (
            <input
              {...wiring}
              className={inputClass}
              inputMode="numeric"
              placeholder="1"
              value={draft.samples ?? ""}
              onChange={(event) => change({ samples: event.target.value })}
            />
          )}
        </Field>
      </div>
    </Section>
  );
}

function Subset({ draft, problems, change }: PartProps) {
  const share = draft.count === undefined ? (draft.pct ?? "100") : COUNT;
  return (
    <div className={styles.wide}>
      <p className={styles.label}>Subset</p>
      <div className={styles.subset}>
        <Segments
          label="Subset"
          value={share}
          options={[
            ...SHARES.map((value) => ({ value: String(value), label: `${value} %` })),
            { value: COUNT, label: "n items" },
          ]}
          onChange={(value) =>
            change(
              value === COUNT ? { count: "50", pct: "" } : { pct: value === "100" ? "" : value, count: "" },
            )
          }
        />
        {share === COUNT ? (
          <input
            className={inputClass}
            aria-label="Number of items"
            aria-invalid={problems.count ? true : undefined}
            inputMode="numeric"
            value={draft.count ?? ""}
            onChange={(event) => change({ count: event.target.value || "0" })}
          />
        ) : null}
      </div>
      {problems.count ? <p className={styles.problem}>{problems.count}</p> : null}
    </div>
  );
}

interface NamedItemsProps {
  ids: string[];
  problem: string | undefined;
  onDrop: () => void;
}

/** What a run that names its items is started again with. */
function NamedItems({ ids, problem, onDrop }: NamedItemsProps) {
  return (
    <div className={styles.wide}>
      <p className={styles.label}>Items</p>
      <div className={styles.subset}>
        <span>{namedItems(ids)}</span>
        <Button isSmall onClick={onDrop}>
          Ask all items
        </Button>
      </div>
      {problem ? <p className={styles.problem}>{problem}</p> : null}
    </div>
  );
}
