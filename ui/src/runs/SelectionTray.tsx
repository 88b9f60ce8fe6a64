import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { count } from "../format";
import { Button, buttonClass } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useShortcut } from "../ui/shortcuts";
import { toast } from "../ui/Toasts";
import { useRunChanges } from "./list/bulk";
import { DeleteDialog } from "./list/DeleteDialog";
import { DescribeDialog } from "./list/DescribeDialog";
import { runsOf, TagDialog } from "./list/TagDialog";
import styles from "./SelectionTray.module.css";

interface Props {
  picked: string[];
  /** Whether archived runs are listed, and can be brought back. */
  isArchive: boolean;
  onClear: () => void;
}

/** What is selected, and what can be done with it; the first selected run is the baseline. */
export function SelectionTray({ picked, isArchive, onClear }: Props) {
  const navigate = useNavigate();
  const [asks, setAsks] = useState<"tags" | "deletion" | "description">();
  const changes = useRunChanges();
  useShortcut("c", () => void navigate({ to: "/compare", search: { run: picked } }));
  useShortcut("Escape", onClear);
  const close = () => setAsks(undefined);
  const archive = () =>
    changes.mutate(
      { ids: picked, change: { is_archived: !isArchive } },
      {
        onSuccess: () => {
          toast(isArchive ? `${runsOf(picked)} back in the list.` : `Archived ${runsOf(picked)}.`);
          onClear();
        },
        onError: ({ message }) => toast(message, { isBad: true }),
      },
    );
  return (
    <>
      <section className={styles.tray} aria-label="Selected runs">
        <span role="status">
          <strong>{count(picked.length)}</strong> {picked.length === 1 ? "run" : "runs"} selected
        </span>
        <Link
          to="/compare"
          search={{ run: picked }}
          className={buttonClass({ tone: "primary", isSmall: true })}
        >
          <Icon name="compare" />
          Compare
        </Link>
        {picked.length === 1 ? (
          <Button isSmall onClick={() => setAsks("description")}>
            Name and note
          </Button>
        ) : null}
        <Button isSmall onClick={() => setAsks("tags")}>
          Tag
        </Button>
        <Button isSmall isBusy={changes.isPending} onClick={archive}>
          {isArchive ? "Unarchive" : "Archive"}
        </Button>
        <Button isSmall tone="danger" onClick={() => setAsks("deletion")}>
          Delete
        </Button>
        <Button tone="quiet" isSmall icon="cross" aria-label="Clear the selection" onClick={onClear} />
      </section>
      {asks === "tags" ? <TagDialog ids={picked} onClose={close} /> : null}
      {asks === "deletion" ? <DeleteDialog ids={picked} onClose={close} onDone={onClear} /> : null}
      {asks === "description" && picked[0] ? <DescribeDialog id={picked[0]} onClose={close} /> : null}
    </>
  );
}
