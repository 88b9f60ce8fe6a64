import { type FormEvent, useState } from "react";
import { count } from "../../format";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field, inputClass } from "../../ui/Field";
import { Notice } from "../../ui/Notice";
import { toast } from "../../ui/Toasts";
import dialogStyles from "../ControlDialogs.module.css";
import { tagsIn, useTagging } from "./bulk";

/** Tags to add to the selected runs, and to take away. */
export function TagDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const [added, setAdded] = useState("");
  const [removed, setRemoved] = useState("");
  const tagging = useTagging();

  function submit(event: FormEvent) {
    event.preventDefault();
    const tags = { added: tagsIn(added), removed: tagsIn(removed) };
    tagging.mutate(
      { ids, tags },
      {
        onSuccess: () => {
          toast(`Tagged ${runsOf(ids)}.`);
          onClose();
        },
      },
    );
  }

  return (
    <Dialog title={`Tag ${runsOf(ids)}`} onClose={onClose}>
      <form className={dialogStyles.body} onSubmit={submit}>
        <Field label="Tags to add" hint="With spaces between: letters, digits and . _ : / -">
          {(wiring) => (
            <input
              {...wiring}
              className={inputClass}
              value={added}
              onChange={({ target }) => setAdded(target.value)}
              autoComplete="off"
            />
          )}
        </Field>
        <Field label="Tags to remove">
          {(wiring) => (
            <input
              {...wiring}
              className={inputClass}
              value={removed}
              onChange={({ target }) => setRemoved(target.value)}
              autoComplete="off"
            />
          )}
        </Field>
        {tagging.error ? <Notice>{tagging.error.message}</Notice> : null}
        <div className={dialogStyles.buttons}>
          <Button onClick={onClose}>Close</Button>
          <Button
            tone="primary"
            type="submit"
            isBusy={tagging.isPending}
            disabled={tagsIn(added).length + tagsIn(removed).length === 0}
          >
            Change tags
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function runsOf(ids: readonly string[]): string {
  return ids.length === 1 ? "1 run" : `${count(ids.length)} runs`;
}
