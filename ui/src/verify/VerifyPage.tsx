import { useQuery } from "@tanstack/react-query";
import { publicKeyQuery, useVerification } from "../api/files";
import { DropZone } from "../ui/DropZone";
import { Facts } from "../ui/Facts";
import { CodeBlock } from "../ui/CodeBlock";
import { Notice } from "../ui/Notice";
import { Card, PageHeader, Section } from "../ui/Page";
import { Findings } from "./Findings";

/** Drop a signed export, see what it proves. */
export function VerifyPage() {
  const verification = useVerification();
  return (
    <>
      <PageHeader
        title="Verify"
        lead="A signed export proves a score: who signed it, that nothing in it was changed, and that every figure follows from the attempts inside."
      />
      <DropZone
        label="A signed export"
        accept=".zip,application/zip"
        isBusy={verification.isPending}
        onFile={(file) => verification.mutate(file)}
      >
        {verification.isPending ? (
          <p>Checking {verification.variables.name} …</p>
        ) : (
          <p>
            <strong>Drop a ZIP here</strong> that was exported from Assay, on this or any other server.
          </p>
        )}
      </DropZone>
      <div role="status">
        {verification.error ? <Notice>{verification.error.message}</Notice> : null}
        {verification.data ? (
          <Findings result={verification.data} name={verification.variables.name} />
        ) : null}
      </div>
      <OwnKey />
      <Section title="Without a server" note="the same checks, offline">
        <CodeBlock label="Command">assay verify export.zip</CodeBlock>
      </Section>
    </>
  );
}

function OwnKey() {
  const { data } = useQuery(publicKeyQuery);
  if (!data) return null;
  return (
    <Section title="This server’s key" note="compare it with the key that the publisher states elsewhere">
      <Card>
        <Facts
          isMono
          facts={{ "Key id": data.key_id, Fingerprint: data.fingerprint, "Public key": data.public_key }}
        />
      </Card>
    </Section>
  );
}
