import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { lmStudioQuery, useLmStudioSwitch } from "../api/code";
import { bytes } from "../format";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ModelName } from "../ui/ModelName";
import styles from "./LaunchForm.module.css";
import { Refusal } from "./Refusal";

interface Props {
  onAdd: (model: string) => void;
}

/** The models that LM Studio has on the server; asked for when opened, as most servers have none. */
export function LmStudio({ onAdd }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.more} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Models of LM Studio on the server</summary>
      {isOpen ? <Installed onAdd={onAdd} /> : null}
    </details>
  );
}

function Installed({ onAdd }: Props) {
  const { data, error } = useQuery(lmStudioQuery);
  const load = useLmStudioSwitch();
  if (error) return <div>{error.message}.</div>;
  if (!data) return <div>Asking LM Studio …</div>;
  return (
    <div>
      {data.models.length === 0 ? <p>LM Studio has no model.</p> : null}
      {data.models.map(({ model_id: id, is_loaded, size_bytes }) => (
        <div key={id} className={styles.local}>
          <span>
            <ModelName model={id} />
            {size_bytes === null ? null : <small>{bytes(size_bytes)}</small>}
          </span>
          <span className={styles.buttons}>
            {is_loaded ? (
              <Badge tone="good">loaded</Badge>
            ) : (
              <Button
                isSmall
                disabled={load.isPending}
                isBusy={load.isPending && load.variables === id}
                onClick={() => load.mutate(id)}
              >
                Unload the others, load this
              </Button>
            )}
            <Button isSmall icon="plus" aria-label={`Add ${id}`} onClick={() => onAdd(id)}>
              Add
            </Button>
          </span>
        </div>
      ))}
      <Refusal error={load.error} />
    </div>
  );
}
