import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useAdminSecret } from "../api/admin";
import type { Schemas } from "../api/client";
import { publicKeyQuery } from "../api/files";
import { modelsQuery, statusQuery } from "../api/queries";
import { Badge } from "../ui/Badge";
import { type Column, DataTable } from "../ui/DataTable";
import { Facts } from "../ui/Facts";
import { Field, inputClass } from "../ui/Field";
import { Card, PageHeader, Section } from "../ui/Page";
import { Segments } from "../ui/Segments";
import { THEMES, useTheme } from "../ui/theme";
import styles from "./SettingsPage.module.css";

const LABELS = { system: "As the system", light: "Light", dark: "Dark" };

export function SettingsPage() {
  const [theme, choose] = useTheme();
  const [secret, setSecret] = useAdminSecret();
  const { data: status } = useQuery(statusQuery);
  const { data: models } = useQuery(modelsQuery);
  return (
    <>
      <PageHeader
        title="Settings"
        lead="What this browser remembers, and what the server was started with. The server’s own settings are read from its environment and from .env."
      />
      <Section title="Appearance" note="kept in this browser">
        <Card>
          <Segments
            label="Theme"
            value={theme}
            options={THEMES.map((value) => ({ value, label: LABELS[value] }))}
            onChange={choose}
          />
        </Card>
      </Section>
      <Section title="Operator" note="kept until this tab is closed">
        <Card>
          <div className={styles.secret}>
            <Field label="Admin secret" hint="Sent with maintenance and other operator calls.">
              {(wiring) => (
                <input
                  {...wiring}
                  type="password"
                  className={inputClass}
                  autoComplete="off"
                  value={secret}
                  onChange={({ target }) => setSecret(target.value)}
                />
              )}
            </Field>
          </div>
        </Card>
      </Section>
      <Section title="Provider keys" note="set on the machine that runs Assay; never sent to a browser">
        <DataTable
          caption="Keys of providers"
          columns={PROVIDERS}
          rows={models?.providers ?? []}
          keyOf={({ prefix }) => prefix}
        />
      </Section>
      <SigningKey />
      {status ? <p className={styles.version}>Assay {status.version}</p> : null}
    </>
  );
}

function SigningKey() {
  const { data, error } = useQuery(publicKeyQuery);
  if (error) return null;
  return (
    <Section title="Signing key" note="signs the exports of this server; only the public key leaves it">
      <Card>
        {data ? (
          <Facts
            isMono
            facts={{ "Key id": data.key_id, Fingerprint: data.fingerprint, "Public key": data.public_key }}
          />
        ) : null}
        <p className={styles.note}>
          <Link to="/verify" className={styles.link}>
            Verify an export
          </Link>
          , or rotate the key with <code>assay keys rotate</code>.
        </p>
      </Card>
    </Section>
  );
}

const PROVIDERS: readonly Column<Schemas["Provider"]>[] = [
  { name: "Provider", isHeading: true, cell: ({ prefix }) => prefix },
  {
    name: "Key",
    cell: ({ is_ready, has_key }) => (
      <Badge tone={has_key ? "good" : is_ready ? "plain" : "gold"}>
        {has_key ? "set" : is_ready ? "not needed" : "missing"}
      </Badge>
    ),
  },
  { name: "Setting", cell: ({ key_variable }) => <code>{key_variable}</code> },
  { name: "Endpoint", isSoft: true, cell: ({ base_url }) => base_url },
];
