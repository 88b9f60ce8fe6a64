import type { ErrorComponentProps } from "@tanstack/react-router";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";

/** In place of a page that could not be loaded or drawn. */
export function Failure({ error }: ErrorComponentProps) {
  return (
    <EmptyState isPage title="This page could not be shown">
      <p>
        The server may be unreachable, or may have been updated since this page was loaded. What the browser
        says: {error instanceof Error ? error.message : String(error)}
      </p>
      <Button tone="primary" icon="retry" onClick={() => location.reload()}>
        Reload
      </Button>
    </EmptyState>
  );
}
