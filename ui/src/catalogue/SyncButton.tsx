import { Link } from "@tanstack/react-router";
import { useAdminSecret, useSync } from "../api/admin";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { toast } from "../ui/Toasts";
import styles from "./ModelsPage.module.css";

/** Updates the registry from the providers' lists of models; for the operator. */
export function SyncButton({ provider }: { provider: string | undefined }) {
  const [secret] = useAdminSecret();
  const sync = useSync(secret);
  const failed = sync.data?.providers.filter(({ error }) => error !== null) ?? [];
  if (!secret) {
    return (
      <p className={styles.more}>
        To update the registry, enter the admin secret in{" "}
        <Link to="/settings" className={styles.link}>
          Settings
        </Link>
        , or run <code>assay models sync</code>.
      </p>
    );
  }
  return (
    <>
      <Button
        icon="retry"
        isBusy={sync.isPending}
        onClick={() => sync.mutate(provider, { onSuccess: ({ message }) => toast(message) })}
      >
        {provider ? `Sync ${provider}` : "Sync all providers"}
      </Button>
      {sync.error ? <Notice>{sync.error.message}</Notice> : null}
      {failed.map(({ provider: name, error }) => (
        <Notice key={name} tone="gold">
          {name}: {error}
        </Notice>
      ))}
    </>
  );
}
