import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { datasetsQuery } from "../api/files";
import { bytes, count } from "../format";
import { buttonClass } from "../ui/Button";
import { type Column, DataTable } from "../ui/DataTable";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import { Age } from "../ui/Time";
import styles from "./DatasetsPage.module.css";
import { Uploader } from "./Uploader";

type Dataset = Schemas["Dataset"];

/** One's own questions: JSONL in the shape of OpenAI’s batch input. */
export function DatasetsPage() {
  const { data, error } = useQuery(datasetsQuery);
  return (
    <>
      <PageHeader
        title="Data sets"
        count={data && data.datasets.length > 0 ? count(data.datasets.length) : undefined}
        lead="Your own questions as JSONL, one request per line, in the format of OpenAI’s batch input. Lines with an expected answer are graded."
      />
      <Uploader />
      {error ? <Notice>{error.message}</Notice> : null}
      {data && data.datasets.length > 0 ? (
        <Section title="Stored">
          <DataTable caption="Data sets" columns={COLUMNS} rows={data.datasets} keyOf={({ id }) => id} />
        </Section>
      ) : null}
    </>
  );
}

const COLUMNS: readonly Column<Dataset>[] = [
  {
    name: "Data set",
    isHeading: true,
    cell: ({ id, dataset, version }) => (
      <Link to="/datasets/$datasetId" params={{ datasetId: id }} className={styles.link}>
        {dataset} <span>version {version}</span>
      </Link>
    ),
  },
  { name: "File", isSoft: true, cell: ({ name }) => name },
  { name: "Lines", isNumber: true, cell: ({ count: lines }) => count(lines) },
  {
    name: "Graded",
    isNumber: true,
    cell: ({ graded, count: lines }) => (graded === 0 ? "none" : graded === lines ? "all" : count(graded)),
  },
  { name: "Size", isNumber: true, isSoft: true, cell: ({ size_bytes }) => bytes(size_bytes) },
  { name: "Uploaded", isSoft: true, cell: ({ uploaded_at }) => <Age of={uploaded_at} /> },
  {
    name: "Actions",
    isNumber: true,
    cell: ({ benchmark }) => (
      <Link to="/runs/new" search={{ benchmark: [benchmark] }} className={buttonClass({ isSmall: true })}>
        <Icon name="play" size={12} />
        Run
      </Link>
    ),
  },
];
