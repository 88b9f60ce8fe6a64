import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../api/client";
import { datasetQuery, useDeletion } from "../api/files";
import { bytes, count, moment } from "../format";
import { Button, buttonClass } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { EmptyState } from "../ui/EmptyState";
import { Facts } from "../ui/Facts";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Card, PageHeader } from "../ui/Page";
import { toast } from "../ui/Toasts";
import styles from "./DatasetPage.module.css";
import { Lines } from "./Lines";
import { Results } from "./Results";

const route = getRouteApi("/datasets/$datasetId");

type Dataset = Schemas["Dataset"];

export function DatasetPage() {
  const { datasetId } = route.useParams();
  const { data, error } = useQuery(datasetQuery(datasetId));
  if (error)
    return (
      <EmptyState isPage title="Data set not found">
        {error.message}
      </EmptyState>
    );
  return data ? <Detail dataset={data} /> : null;
}

function Detail({ dataset }: { dataset: Dataset }) {
  return (
    <>
      <Link to="/datasets" className={styles.back}>
        <Icon name="back" size={14} /> Data sets
      </Link>
      <PageHeader
        title={dataset.dataset}
        count={`version ${dataset.version}`}
        actions={
          <>
            <Removal dataset={dataset} />
            <Link
              to="/runs/new"
              search={{ benchmark: [dataset.benchmark] }}
              className={buttonClass({ tone: "primary" })}
            >
              <Icon name="play" />
              Run it
            </Link>
          </>
        }
      />
      <Card>
        <Facts facts={factsOf(dataset)} />
      </Card>
      <Results dataset={dataset} />
      <Lines datasetId={dataset.id} />
    </>
  );
}

function Removal({ dataset }: { dataset: Dataset }) {
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  const deletion = useDeletion();
  return (
    <>
      <Button tone="danger" onClick={() => setIsAsking(true)}>
        Remove
      </Button>
      {isAsking ? (
        <Dialog title="Remove this version?" onClose={() => setIsAsking(false)}>
          <div className={styles.dialog}>
            <p>The results of its runs are kept, but it cannot be run again.</p>
            {deletion.error ? <Notice>{deletion.error.message}</Notice> : null}
            <div className={styles.buttons}>
              <Button onClick={() => setIsAsking(false)}>Keep it</Button>
              <Button
                tone="danger"
                isBusy={deletion.isPending}
                onClick={() =>
                  deletion.mutate(dataset.id, {
                    onSuccess: () => {
                      toast("Removed.");
                      void navigate({ to: "/datasets" });
                    },
                  })
                }
              >
                Remove it
              </Button>
            </div>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function factsOf(dataset: Dataset): Record<string, string | null> {
  const graders = Object.entries(dataset.graders).map(([name, lines]) => `${name} ${count(lines ?? 0)}`);
  return {
    Benchmark: dataset.benchmark,
    File: dataset.name,
    Lines: count(dataset.count),
    Graded: dataset.graded === 0 ? "none" : `${count(dataset.graded)} (${graders.join(", ")})`,
    "Models named in it": dataset.models.join(", ") || null,
    Size: bytes(dataset.size_bytes),
    "SHA-256": dataset.sha256,
    Uploaded: moment(dataset.uploaded_at),
    Owner: dataset.owner,
  };
}
