import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { RunDetail } from "../../api/client";
import { runQuery } from "../../api/queries";
import { short } from "../../format";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field, inputClass } from "../../ui/Field";
import { Notice } from "../../ui/Notice";
import { toast } from "../../ui/Toasts";
import dialogStyles from "../ControlDialogs.module.css";
import { tagsIn, useRunChanges } from "./bulk";

/** Name, tags and note of one run. */
export function DescribeDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data } = useQuery(runQuery(id));
  return (
    <Dialog title={`Name, tags and note of ${short(id)}`} onClose={onClose}>
      {data ? <Description run={data} onClose={onClose} /> : null}
    </Dialog>
  );
}

function Description({ run, onClose }: { run: RunDetail; onClose: () => void }) {
  const [name, setName] = useState(run.name);
  const [tags, setTags] = useState(run.tags.join(" "));
  const [note, setNote] = useState(run.note);
  const changes = useRunChanges();

  function submit(event: FormEvent) {
    event.preventDefault();
    const change = { name: name.trim(), note: note.trim(), tags: tagsIn(tags) };
    changes.mutate(
      { ids: [run.id], change },
      {
        onSuccess: () => {
          toast("Saved.");
          onClose();
        },
      },
    );
  }

  return (
    <form className={dialogStyles.body} onSubmit={submit}>
      <Field label="Name">
        {(wiring) => (
          <input
            {...wiring}
            className={inputClass}
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field label="Tags" hint="With spaces between: letters, digits and . _ : / -">
        {(wiring) => (
          <input
            {...wiring}
            className={inputClass}
            value={tags}
            onChange={({ target }) => setTags(target.value)}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="Note">
        {(wiring) => (
          <textarea
            {...wiring}
            className={inputClass}
            rows={4}
            maxLength={4000}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        )}
      </Field>
      {changes.error ? <Notice>{changes.error.message}</Notice> : null}
      <div className={dialogStyles.buttons}>
        <Button onClick={onClose}>Close</Button>
        <Button tone="primary" type="submit" isBusy={changes.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
