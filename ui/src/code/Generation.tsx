import { useQuery } from "@tanstack/react-query";
import { capabilitiesQuery } from "../api/code";
import { Field, inputClass } from "../ui/Field";
import { Section } from "../ui/Page";
import type { PartProps } from "./LaunchForm";
import styles from "./LaunchForm.module.css";
import type { Flag, TextField } from "./search";

const OPENROUTER = "openrouter/";
const LEVELS = ["low", "medium", "high", "budget_tokens=4096"];

interface TextOption {
  field: TextField;
  label: string;
  placeholder: string;
  hint?: string;
  isText?: boolean;
}

const FIELDS: readonly TextOption[] = [
  { field: "samples", label: "Samples per task", placeholder: "1" },
  { field: "temperature", label: "Temperature", placeholder: "0" },
  { field: "max_tokens", label: "Max tokens per reply", placeholder: "the benchmark’s" },
  {
    field: "provider",
    label: "Provider",
    placeholder: "any",
    hint: "The only provider that OpenRouter may ask.",
    isText: true,
  },
  {
    field: "thinking",
    label: "Thinking level",
    placeholder: "the model’s",
    hint: "A word such as high, or budget_tokens=N.",
    isText: true,
  },
];

interface FlagOption {
  flag: Flag;
  label: string;
  hint: string;
}

const THINKING: readonly FlagOption[] = [
  {
    flag: "include_thinking_variants",
    label: "Also without the thinking level",
    hint: "Asks every model twice: as it is, and at the level (medium if none is given).",
  },
  {
    flag: "sweep_thinking_levels",
    label: "Sweep thinking levels",
    hint: "Asks every model without a level, and at low, medium and high.",
  },
];

const ANSWERS: readonly FlagOption[] = [
  {
    flag: "include_tests",
    label: "Show the tests to the model",
    hint: "Measures something else: the tests are usually hidden.",
  },
  {
    flag: "allow_incomplete_diffs",
    label: "Accept incomplete diffs",
    hint: "Takes a diff whose fence is not closed.",
  },
  {
    flag: "allow_diff_rewrite_fallback",
    label: "Rewrite fallback",
    hint: "Takes a diff that does not fit as a whole file, or where it nearly fits.",
  },
];

/** How the models are asked, and what is accepted as an answer. */
export function Generation({ search, problems, change }: PartProps) {
  const flags = { search, problems, change };
  const listed = (search.model ?? []).filter((model) => model.startsWith(OPENROUTER));
  return (
    <>
      <Section title="Generation">
        <div className={styles.fields}>
          {FIELDS.map(({ field, label, placeholder, hint, isText }) => (
            <Field key={field} label={label} hint={hint} problem={problems[field]}>
              {(wiring) => (
                <input
                  {...wiring}
                  className={inputClass}
                  inputMode={isText ? "text" : "decimal"}
                  list={field === "thinking" ? "thinking-levels" : undefined}
                  placeholder={placeholder}
                  value={search[field] ?? ""}
                  onChange={({ target }) => change({ [field]: target.value })}
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </Field>
          ))}
        </div>
        <datalist id="thinking-levels">
          {LEVELS.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </datalist>
        {listed.length > 0 ? (
          <ul className={styles.hints} aria-label="Thinking of the chosen models">
            {listed.map((model) => (
              <Capability key={model} model={model} />
            ))}
          </ul>
        ) : null}
        <Flags options={THINKING} {...flags} />
      </Section>
      <Section
        title="Options"
        note="Off by default, as on the command line. Runs with other options are ranked on a board of their own."
      >
        <Flags options={ANSWERS} {...flags} />
      </Section>
    </>
  );
}

function Flags({ options, search, change }: PartProps & { options: readonly FlagOption[] }) {
  const set = search.option ?? [];
  return (
    <div className={styles.flags}>
      {options.map(({ flag, label, hint }) => (
        <label key={flag} className={styles.flag}>
          <input
            type="checkbox"
            checked={set.includes(flag)}
            onChange={({ target }) =>
              change({ option: target.checked ? [...set, flag] : set.filter((one) => one !== flag) })
            }
          />
          <span>{label}</span>
          <small>{hint}</small>
        </label>
      ))}
    </div>
  );
}

function Capability({ model }: { model: string }) {
  const { data, error } = useQuery(capabilitiesQuery(model));
  return (
    <li>
      {model}: {error ? error.message : data ? takes(data) : "asking OpenRouter …"}
    </li>
  );
}

function takes({
  supports_thinking,
  suggested_levels,
  supports_budget_tokens,
}: {
  supports_thinking: boolean;
  suggested_levels: readonly string[];
  supports_budget_tokens: boolean;
}): string {
  if (!supports_thinking) return "takes no thinking level, according to OpenRouter";
  const levels = [...suggested_levels, ...(supports_budget_tokens ? ["budget_tokens=N"] : [])];
  return `takes a thinking level: ${levels.join(", ")}`;
}
