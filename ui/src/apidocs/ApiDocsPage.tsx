import { queryOptions, useQuery } from "@tanstack/react-query";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import styles from "./ApiDocsPage.module.css";
import { OperationView } from "./OperationView";
import { operationsOf } from "./operations";

const DOCUMENT = "/api/openapi.json";

const documentQuery = queryOptions({
  queryKey: ["openapi"],
  queryFn: async ({ signal }) => {
    const response = await fetch(DOCUMENT, { signal });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    return operationsOf(await response.json());
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Every call of the API, ready to be made. */
export function ApiDocsPage() {
  const { data, error } = useQuery(documentQuery);
  const groups = Map.groupBy(data ?? [], ({ tag }) => tag);
  return (
    <>
      <PageHeader
        title="API"
        lead={
          <>
            Everything this page does goes through these calls. The whole description, for generators of
            clients, is at{" "}
            <a href={DOCUMENT} className={styles.link}>
              {DOCUMENT}
            </a>
            . Calls that change nothing can be made from here.
          </>
        }
      />
      {error ? <Notice>{error.message}</Notice> : null}
      {[...groups].map(([tag, operations]) => (
        <Section key={tag} title={tag}>
          <div className={styles.operations}>
            {operations.map((operation) => (
              <OperationView key={operation.id} operation={operation} />
            ))}
          </div>
        </Section>
      ))}
    </>
  );
}
