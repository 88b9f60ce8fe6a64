import { Field, inputClass } from "../ui/Field";
import { Section } from "../ui/Page";
import { Segments } from "../ui/Segments";
import type { TextField } from "./draft";
import type { PartProps } from "./NewRunPage";
import styles from "./Scope.module.css";
import { stopChoice, USUAL_BAR } from "./stop";

const ALL = "all";

const FIELDS: readonly {
  field: TextField;
  label: string;
  placeholder: string;
  hint: string;
  of: string[];
}[] = [
  {
    field: "stop_margin",
    label: "Margin in points",
    placeholder: "1",
    hint: "A smaller difference does not matter.",
    of: ["decided", "equivalent"],
  },
  { field: "stop_bar", label: "Bar", placeholder: USUAL_BAR, hint: "A score from 0 to 1.", of: ["bar"] },
  {
    field: "stop_alpha",
    label: "Chance of a wrong claim",
    placeholder: "0.05",
    hint: "Of any in the run, whenever it stops.",
    of: ["decided", "better", "equivalent", "bar"],
  },
];

/** Whether the run ends once what it is started for is certain. */
export function Stop({ draft, problems, change }: PartProps) {
  const choice = stopChoice(draft);
  return (
    <Section title="Stop early">
      <div className={styles.grid}>
        <div className={styles.wide}>
          <p className={styles.label}>Ask until</p>
          <Segments
            label="Ask until"
            value={choice ?? ALL}
            options={[
              { value: ALL, label: "All items are asked" },
              { value: "decided", label: "It is decided", title: "Better, worse or equivalent" },
              { value: "better", label: "One is better" },
              { value: "equivalent", label: "Equivalent or not" },
              { value: "bar", label: "Above or below a bar" },
            ]}
            onChange={(value) => change({ stop_when: value === ALL ? "" : value })}
          />
          {problems.stop_when ? <p className={styles.problem}>{problems.stop_when}</p> : null}
        </div>
        {FIELDS.filter(({ of }) => choice && of.includes(choice)).map(
          ({ field, label, placeholder, hint }) => (
            <Field key={field} label={label} hint={hint} problem={problems[field]}>
              {(wiring) => (
                <input
                  {...wiring}
                  className={inputClass}
                  inputMode="decimal"
                  placeholder={placeholder}
                  value={draft[field] ?? ""}
                  onChange={(event) => change({ [field]: event.target.value })}
                />
              )}
            </Field>
          ),
        )}
      </div>
    </Section>
  );
}
