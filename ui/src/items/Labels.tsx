import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AttemptDetail, Schemas } from "../api/client";
import { type Label, LABEL_NAMES, labelsQuery, useLabel, useUnlabel } from "../api/labels";
import { Button } from "../ui/Button";
import { inputClass } from "../ui/Field";
import { Icon, type IconName } from "../ui/Icon";
import { Keys } from "../ui/Keys";
import { useShortcut } from "../ui/shortcuts";
import { toast } from "../ui/Toasts";
import styles from "./Labels.module.css";

const LABELS: readonly { label: Label; icon: IconName; key: string }[] = [
  { label: "golden", icon: "check", key: "1" },
  { label: "fix", icon: "half", key: "2" },
  { label: "wrong", icon: "cross", key: "3" },
];

function onError(error: Error) {
  toast(error.message, { isBad: true });
}

interface Props {
  item: Schemas["ItemDetail"];
  attempt: AttemptDetail;
  onAnnotated?: (() => Promise<void>) | undefined;
}

/** People's annotations of this answer, shown next to the grader's verdict. */
export function Labels({ item, attempt, onAnnotated }: Props) {
  const [note, setNote] = useState("");
  const { data } = useQuery(labelsQuery(item.run_id));
  const label = useLabel(item.run_id);
  const unlabel = useUnlabel(item.run_id);
  const given = (data?.evaluations ?? [])
    .flatMap(({ annotations }) => annotations)
    .filter(
      (one) =>
        one.evaluation_id === item.evaluation_id &&
        one.item_id === item.item_id &&
        one.sample === attempt.sample,
    );

  function put(chosen: Label) {
    if (label.isPending) return;
    const { evaluation_id, item_id } = item;
    label.mutate(
      { evaluation_id, item_id, sample: attempt.sample, label: chosen, note: note.trim() },
      {
        onSuccess: () => {
          setNote("");
          void onAnnotated?.();
        },
        onError,
      },
    );
  }
  useShortcut("1", () => put("golden"));
  useShortcut("2", () => put("fix"));
  useShortcut("3", () => put("wrong"));

  return (
    <section className={styles.labels} aria-label="Your annotation">
      {given.map((one) => (
        <p key={one.id} className={styles.given}>
          <strong>{LABEL_NAMES[one.label]}</strong>
          {one.author ? ` by ${one.author}` : ""}
          {one.note ? `: ${one.note}` : ""}
          <Button
            tone="quiet"
            isSmall
            icon="cross"
            aria-label="Remove the annotation"
            onClick={() => unlabel.mutate(one.id, { onError })}
          />
        </p>
      ))}
      <div className={styles.form}>
        <span>Is this answer right?</span>
        {LABELS.map(({ label: value, icon, key }) => (
          <button key={value} type="button" disabled={label.isPending} onClick={() => put(value)}>
            <Icon name={icon} size={12} />
            {LABEL_NAMES[value]} <Keys>{key}</Keys>
          </button>
        ))}
        <input
          className={inputClass}
          aria-label="Note on the annotation"
          placeholder="Note, or the right answer"
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      </div>
    </section>
  );
}
