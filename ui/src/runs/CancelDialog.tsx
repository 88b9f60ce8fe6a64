import type { RunDetail } from "../api/client";
import { count } from "../format";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import styles from "./ControlDialogs.module.css";

interface Props {
  run: RunDetail;
  onClose: () => void;
  onCancel: () => void;
}

/** The one control that ends the run asks first. */
export default function CancelDialog({ run, onClose, onCancel }: Props) {
  const { completed, total } = run.progress;
  return (
    <Dialog title="Cancel this run?" onClose={onClose}>
      <div className={styles.body}>
        <p>
          The {count(completed)} finished attempts are kept; the other {count(total - completed)} will not be
          made, unless you requeue the run. To continue later, pause it instead.
        </p>
        <div className={styles.buttons}>
          <Button onClick={onClose}>Keep it</Button>
          <Button tone="danger" icon="stop" onClick={onCancel}>
            Cancel the run
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
