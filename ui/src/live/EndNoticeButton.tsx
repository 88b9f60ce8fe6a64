import { Button } from "../ui/Button";
import { toast } from "../ui/Toasts";
import { askForEndNotice, dropEndNotice, type Refusal, restoreEndNotices, useEndNotice } from "./endNotice";

const REFUSALS: Record<Refusal, string> = {
  unsupported: "This browser shows notifications only on pages from HTTPS or localhost.",
  denied: "The browser blocks notifications of this page; its site settings can allow them.",
};

restoreEndNotices();

/** Asks for a notification at the end of a run; there is none unless this was pressed. */
export function EndNoticeButton({ runId }: { runId: string }) {
  const isAsked = useEndNotice(runId);

  async function change() {
    if (isAsked) return dropEndNotice(runId);
    const refusal = await askForEndNotice(runId);
    return refusal ? toast(REFUSALS[refusal], { isBad: true }) : toast("You will be notified when it ends.");
  }

  return (
    <Button
      icon="bell"
      aria-label="Notify me when it ends"
      title="Notify me when it ends"
      aria-pressed={isAsked}
      onClick={change}
    />
  );
}
