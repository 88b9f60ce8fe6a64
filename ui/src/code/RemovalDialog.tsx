import { BASE_LEVEL, type CodeBoard, type CodeRow, useRowRemoval } from "../api/code";
import { count } from "../format";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { toast } from "../ui/Toasts";
import styles from "./Boards.module.css";
import { Refusal } from "./Refusal";

interface Props {
  board: CodeBoard;
  row: CodeRow;
  onClose: () => void;
}

/** Asks before runs are deleted. */
export function RemovalDialog({ board, row, onClose }: Props) {
  const removal = useRowRemoval(board.key);
  const level = row.thinking_level === BASE_LEVEL ? "" : ` at thinking level ${row.thinking_level}`;

  function remove() {
    removal.mutate(row, {
      onSuccess: ({ removed_runs: runs }) => {
        toast(`Deleted ${count(runs)} ${runs === 1 ? "run" : "runs"}.`);
        onClose();
      },
    });
  }

  return (
    <Dialog title={`Delete ${row.model_id}?`} onClose={onClose}>
      <div className={styles.dialog}>
        <p>
          All runs of {row.model_id}
          {level} on this board are deleted with their attempts: {count(row.runs)} ranked, and those that are
          not ranked. This cannot be undone.
        </p>
        <Refusal error={removal.error} />
        <div className={styles.buttons}>
          <Button onClick={onClose}>Keep them</Button>
          <Button tone="danger" icon="cross" isBusy={removal.isPending} onClick={remove}>
            Delete the runs
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
