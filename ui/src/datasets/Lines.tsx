import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { datasetPreviewQuery } from "../api/files";
import { count } from "../format";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { Section } from "../ui/Page";
import styles from "./Lines.module.css";
import { Faults } from "./ValidationReport";

const route = getRouteApi("/datasets/$datasetId");
const PAGE = 20;

type Line = Schemas["DatasetLine"];

/** What is in the file, page by page, and what was odd in it when it came in. */
export function Lines({ datasetId }: { datasetId: string }) {
  const { from = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(datasetPreviewQuery(datasetId, { limit: PAGE, offset: from }));
  const show = (first: number) =>
    void navigate({ search: first > 0 ? { from: first } : {}, replace: true, resetScroll: false });
  if (error) return <Notice tone="gold">{error.message}</Notice>;
  if (!data) return null;
  const last = from + data.lines.length;
  return (
    <>
      {data.warning_count > 0 ? (
        <Faults title="Warnings" faults={data.warnings} total={data.warning_count} />
      ) : null}
      <Section
        title="Lines"
        note={last > from ? `${count(from + 1)} to ${count(last)} of ${count(data.total)}` : undefined}
      >
        <ol className={styles.lines} start={from + 1}>
          {data.lines.map((line) => (
            <LineView key={line.custom_id} line={line} />
          ))}
        </ol>
        {data.total > PAGE ? (
          <div className={styles.pages}>
            <Button icon="back" disabled={from === 0} onClick={() => show(Math.max(0, from - PAGE))}>
              Earlier
            </Button>
            <Button icon="forward" disabled={last >= data.total} onClick={() => show(from + PAGE)}>
              Later
            </Button>
          </div>
        ) : null}
      </Section>
    </>
  );
}

function LineView({ line }: { line: Line }) {
  const { custom_id, prompt, expected, grader, category, model, is_cut } = line;
  return (
    <li className={styles.line}>
      <div className={styles.head}>
        <code>{custom_id}</code>
        {category ? <Badge>{category}</Badge> : null}
        {model ? <Badge>{model}</Badge> : null}
      </div>
      <p className={styles.prompt}>
        {prompt}
        {is_cut ? " …" : ""}
      </p>
      <p className={styles.expected}>
        {grader ? (
          <>
            expects <code>{expected}</code> <span>({grader.replace("_", " ")})</span>
          </>
        ) : (
          <span>no expected answer: the reply is stored but not graded</span>
        )}
      </p>
    </li>
  );
}
