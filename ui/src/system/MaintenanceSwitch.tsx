import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAdminSecret, useMaintenance } from "../api/admin";
import { statusQuery } from "../api/queries";
import { Button } from "../ui/Button";
import { Field, inputClass } from "../ui/Field";
import { Notice } from "../ui/Notice";
import { Card, Section } from "../ui/Page";
import { toast } from "../ui/Toasts";
import styles from "./MaintenanceSwitch.module.css";

/** Refuses new runs and lets what is under way end, for the operator. */
export function MaintenanceSwitch() {
  const { data: status } = useQuery(statusQuery);
  const [secret, setSecret] = useAdminSecret();
  const [message, setMessage] = useState("");
  const maintenance = useMaintenance(secret);
  if (!status) return null;
  const isOn = status.maintenance_mode;

  function change() {
    maintenance.mutate(
      { enabled: !isOn, message: message || null },
      { onSuccess: () => toast(isOn ? "New runs are accepted again." : "New runs are refused from now on.") },
    );
  }

  return (
    <Section
      title="Maintenance"
      note={isOn ? (status.idle ? "on, and nothing runs" : "on, draining") : "off"}
    >
      <Card label="Maintenance">
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            change();
          }}
        >
          <Field label="Admin secret" hint="ADMIN_SECRET of the server; kept until this tab is closed.">
            {(wiring) => (
              <input
                {...wiring}
                type="password"
                className={inputClass}
                value={secret}
                autoComplete="off"
                onChange={({ target }) => setSecret(target.value)}
              />
            )}
          </Field>
          <Field label="Message to users" hint="Leave empty to keep the last one.">
            {(wiring) => (
              <input
                {...wiring}
                className={inputClass}
                value={message}
                onChange={({ target }) => setMessage(target.value)}
              />
            )}
          </Field>
          <Button
            type="submit"
            tone={isOn ? "primary" : "danger"}
            disabled={!secret}
            isBusy={maintenance.isPending}
          >
            {isOn ? "End maintenance" : "Start maintenance"}
          </Button>
        </form>
        {maintenance.error ? <Notice>{maintenance.error.message}</Notice> : null}
      </Card>
    </Section>
  );
}
