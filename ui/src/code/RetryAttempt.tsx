import { useNavigate } from "@tanstack/react-router";
import { useAttemptRetry } from "../api/code";
import { isCodeCatalogue } from "../api/codeCatalogue";
import type { AttemptDetail, Schemas } from "../api/client";
import { outcomeKind } from "../charts/outcomes";
import { Button } from "../ui/Button";
import { Refusal } from "./Refusal";

interface Props {
  item: Schemas["ItemDetail"];
  attempt: AttemptDetail;
}

/** Makes an attempt at a code task again that ended without a verdict. */
export function RetryAttempt({ item, attempt: { outcome, sample } }: Props) {
  const navigate = useNavigate();
  const retry = useAttemptRetry(item.run_id);
  if (!isCodeCatalogue(item.benchmark) || outcomeKind(outcome).kind !== "missing") return null;

  function again() {
    retry.mutate(
      { item, sample },
      { onSuccess: () => navigate({ to: "/runs/$runId/tasks", params: { runId: item.run_id } }) },
    );
  }

  return (
    <div>
      <Button icon="retry" isBusy={retry.isPending} onClick={again}>
        Retry this attempt
      </Button>
      <Refusal error={retry.error} />
    </div>
  );
}
