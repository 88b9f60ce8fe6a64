import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Notice } from "../../ui/Notice";
import { toast } from "../../ui/Toasts";
import dialogStyles from "../ControlDialogs.module.css";
import { useDeletion } from "./bulk";
import { runsOf } from "./TagDialog";

interface Props {
  ids: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

/** What cannot be undone asks first. */
export function DeleteDialog({ ids, onClose, onDone }: Props) {
  const deletion = useDeletion();
  return (
    <Dialog title={`Delete ${runsOf(ids)}?`} onClose={onClose}>
      <div className={dialogStyles.body}>
        <p>
          Their items, scores and annotations are deleted for good. Exported bundles are not affected. To hide
          runs and keep them, archive them instead.
        </p>
        {deletion.error ? <Notice>{deletion.error.message}</Notice> : null}
        <div className={dialogStyles.buttons}>
          <Button onClick={onClose}>Keep</Button>
          <Button
            tone="danger"
            isBusy={deletion.isPending}
            onClick={() =>
              deletion.mutate(ids, {
                onSuccess: () => {
                  toast(`Deleted ${runsOf(ids)}.`);
                  onDone();
                },
              })
            }
          >
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
