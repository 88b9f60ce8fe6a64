import { type FormEvent, useState } from "react";
import { ApiError } from "../api/client";
import { useAdminSecret } from "../api/admin";
import { useReveal } from "../api/reveal";
import { Button } from "../ui/Button";
import { Field, inputClass } from "../ui/Field";
import { Notice } from "../ui/Notice";
import styles from "./Masked.module.css";

interface Props {
  runId: string;
  isMasked: boolean;
  error: Error | null;
}

/** Says that texts are masked and why, and reveals them to users who may see them. */
export function Masked({ runId, isMasked, error }: Props) {
  const [isRevealed, reveal] = useReveal(runId);
  if (isRefused(error)) return <Refused runId={runId} message={error?.message ?? ""} />;
  if (isRevealed) {
    return (
      <Notice tone="gold">
        <div className={styles.line}>
          <p>Gated texts are shown in this tab until it is reloaded. Do not publish them.</p>
          <Button isSmall onClick={() => reveal(false)}>
            Mask them again
          </Button>
        </div>
      </Notice>
    );
  }
  if (!isMasked) return null;
  return (
    <Notice tone="gold">
      <div className={styles.line}>
        <p>
          The authors of this benchmark ask that its items not be published, so that no model learns them.
          Texts are masked here and in exports; outcomes and times are not. The operator of this server may
          look at them.
        </p>
        <Button isSmall onClick={() => reveal(true)}>
          Reveal the texts
        </Button>
      </div>
    </Notice>
  );
}

export function isRefused(error: Error | null): boolean {
  return error instanceof ApiError && error.problem?.code === "reveal-refused";
}

function Refused({ runId, message }: { runId: string; message: string }) {
  const [, reveal] = useReveal(runId);
  const [secret, setSecret] = useAdminSecret();
  const [typed, setTyped] = useState(secret);

  function submit(event: FormEvent) {
    event.preventDefault();
    setSecret(typed);
  }

  return (
    <Notice>
      <form className={styles.refused} onSubmit={submit}>
        <p>{message}</p>
        <Field label="Admin secret">
          {(wiring) => (
            <input
              {...wiring}
              type="password"
              className={inputClass}
              autoComplete="off"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
        <div className={styles.line}>
          <Button tone="primary" isSmall type="submit" disabled={typed === ""}>
            Reveal
          </Button>
          <Button isSmall onClick={() => reveal(false)}>
            Leave them masked
          </Button>
        </div>
      </form>
    </Notice>
  );
}
