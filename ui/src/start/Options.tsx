import { Field, inputClass } from "../ui/Field";
import type { TextField } from "./draft";
import type { PartProps } from "./NewRunPage";
import styles from "./Options.module.css";

interface Option {
  field: TextField;
  label: string;
  placeholder: string;
  hint?: string;
  isText?: boolean;
}

const GROUPS: readonly { title: string; options: readonly Option[] }[] = [
  {
    title: "Limits",
    options: [
      {
        field: "budget_usd",
        label: "Budget in USD",
        placeholder: "none",
        hint: "The run pauses when it is reached.",
      },
      { field: "budget_tokens", label: "Budget in tokens", placeholder: "none" },
      {
        field: "connections",
        label: "Concurrency",
        placeholder: "server default",
        hint: "Concurrent calls.",
      },
      { field: "priority", label: "Priority", placeholder: "0", hint: "Lower numbers run first." },
    ],
  },
  {
    title: "Generation",
    options: [
      { field: "temperature", label: "Temperature", placeholder: "the benchmark’s" },
      { field: "top_p", label: "Top-p", placeholder: "the benchmark’s" },
      { field: "max_tokens", label: "Max tokens per reply", placeholder: "the benchmark’s" },
      { field: "effort", label: "Reasoning effort", placeholder: "the model’s", isText: true },
      {
        field: "system",
        label: "System prompt",
        placeholder: "none",
        hint: "Before what the benchmark says.",
        isText: true,
      },
      {
        field: "stop",
        label: "Text that ends a reply",
        placeholder: "the benchmark’s",
        hint: "Several as a JSON list.",
        isText: true,
      },
      { field: "model_seed", label: "Seed of the model", placeholder: "none" },
      { field: "few_shot", label: "Examples before a question", placeholder: "the benchmark’s" },
      {
        field: "options",
        label: "Further fields of the request",
        placeholder: '{"top_k": 40}',
        hint: "A JSON object.",
        isText: true,
      },
      { field: "timeout", label: "Timeout in seconds", placeholder: "1800" },
      { field: "retries", label: "Retries of a failed call", placeholder: "by its error" },
    ],
  },
  {
    title: "Judges",
    options: [
      {
        field: "judge",
        label: "Judges",
        placeholder: "none",
        hint: "Models that grade benchmarks with a judge, separated by commas.",
        isText: true,
      },
      { field: "judge_votes", label: "Votes per judge", placeholder: "1" },
      { field: "judge_temperature", label: "Judge temperature", placeholder: "the benchmark’s" },
      { field: "judge_max_tokens", label: "Max tokens per judgement", placeholder: "the benchmark’s" },
      { field: "judge_timeout", label: "Judge timeout in seconds", placeholder: "120" },
      {
        field: "judge_base_url",
        label: "Judge endpoint URL",
        placeholder: "the provider’s",
        isText: true,
      },
    ],
  },
  {
    title: "Endpoint and simulated user",
    options: [
      {
        field: "user_model",
        label: "Simulated user",
        placeholder: "none",
        hint: "Model that plays the user in benchmarks with conversations.",
        isText: true,
      },
      {
        field: "base_url",
        label: "Endpoint URL",
        placeholder: "http://127.0.0.1:8000/v1",
        hint: "For providers without a key, on hosts that the server allows.",
        isText: true,
      },
      {
        field: "base_urls",
        label: "Endpoints of single models",
        placeholder: '{"vllm/my-model": "http://…"}',
        hint: "A JSON object.",
        isText: true,
      },
    ],
  },
  {
    title: "Composite",
    options: [
      {
        field: "weights",
        label: "Weights",
        placeholder: "quality=40,speed=20,…",
        hint: "The points must add up to 100.",
        isText: true,
      },
      {
        field: "minimum_quality",
        label: "Minimum quality",
        placeholder: "0.25",
        hint: "Below it, speed, cost and streaming do not count.",
      },
      {
        field: "warmup",
        label: "Warm-up requests",
        placeholder: "0",
        hint: "Sent to each model first and not scored.",
      },
    ],
  },
];

/** What most runs leave alone; open where something is set. */
export function Options({ draft, problems, change }: PartProps) {
  const set = GROUPS.flatMap(({ options }) => options).filter(({ field }) => draft[field] !== undefined);
  return (
    <details className={styles.options} open={set.length > 0 || undefined}>
      <summary>
        Limits, generation, endpoint, other models {set.length > 0 ? <span>{set.length} set</span> : null}
      </summary>
      {GROUPS.map(({ title, options }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          {options.map(({ field, label, placeholder, hint, isText }) => (
            <Field key={field} label={label} hint={hint} problem={problems[field]}>
              {(wiring) => (
                <input
                  {...wiring}
                  name={field}
                  className={inputClass}
                  inputMode={isText ? "text" : "decimal"}
                  placeholder={placeholder}
                  value={draft[field] ?? ""}
                  onChange={(event) => change({ [field]: event.target.value })}
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </Field>
          ))}
          {title === "Limits" ? <Flag field="reuse" draft={draft} change={change} /> : null}
          {title === "Generation" ? <Flag field="logprobs" draft={draft} change={change} /> : null}
        </fieldset>
      ))}
    </details>
  );
}

const FLAGS = {
  logprobs: "Ask for the log-probabilities of the reply’s tokens",
  reuse: "Take stored answers to the same requests instead of asking again",
};

function Flag({ field, draft, change }: Pick<PartProps, "draft" | "change"> & { field: keyof typeof FLAGS }) {
  return (
    <label className={styles.flag}>
      <input
        type="checkbox"
        checked={draft[field] ?? false}
        onChange={(event) => change({ [field]: event.target.checked })}
      />
      {FLAGS[field]}
    </label>
  );
}
