import { type FormEvent, useState } from "react";
import type { RunDetail } from "../api/client";
import { useRunChange } from "../api/control";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Field, inputClass } from "../ui/Field";
import { Notice } from "../ui/Notice";
import { toast } from "../ui/Toasts";
import styles from "./ControlDialogs.module.css";

const FIELDS = [
  { name: "priority", label: "Priority", hint: "Lower numbers run first." },
  {
    name: "max_connections",
    label: "Concurrency",
    hint: "Concurrent calls of the whole run; leave empty to keep it.",
  },
  { name: "budget_usd", label: "Budget in USD", hint: "The run pauses when it is reached." },
  { name: "budget_tokens", label: "Budget in tokens", hint: "" },
] as const;

type Name = (typeof FIELDS)[number]["name"];

/** What may change while a run is executed; workers take it up within a second. */
export default function ChangeDialog({ run, onClose }: { run: RunDetail; onClose: () => void }) {
  const [values, setValues] = useState<Record<Name, string>>(() => ({
    priority: String(run.priority),
    max_connections: shown(run.max_connections),
    budget_usd: shown(run.budget_usd),
    budget_tokens: shown(run.budget_tokens),
  }));
  const change = useRunChange(run.id);

  function submit(event: FormEvent) {
    event.preventDefault();
    const given = FIELDS.filter(
      ({ name }) => values[name].trim() !== "" && values[name] !== shown(run[name]),
    );
    if (given.length === 0) return onClose();
    change.mutate(Object.fromEntries(given.map(({ name }) => [name, Number(values[name])])), {
      onSuccess: () => {
        toast("Changed.");
        onClose();
      },
    });
  }

  return (
    <Dialog title="Priority, concurrency and budget" onClose={onClose}>
      <form className={styles.body} onSubmit={submit}>
        <div className={styles.fields}>
          {FIELDS.map(({ name, label, hint }) => (
            <Field key={name} label={label} hint={hint}>
              {(wiring) => (
                <input
                  {...wiring}
                  className={inputClass}
                  inputMode="decimal"
                  value={values[name]}
                  onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        {change.error ? <Notice>{change.error.message}</Notice> : null}
        <div className={styles.buttons}>
          <Button onClick={onClose}>Close</Button>
          <Button tone="primary" type="submit" isBusy={change.isPending}>
            Change
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function shown(value: number | null): string {
  return value === null ? "" : String(value);
}
