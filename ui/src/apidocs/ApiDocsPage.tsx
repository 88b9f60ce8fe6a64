import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { count } from "../format";
import { EmptyState } from "../ui/EmptyState";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import { SearchField } from "../ui/SearchField";
import styles from "./ApiDocsPage.module.css";
import { OperationView } from "./OperationView";
import { type Operation, operationsOf } from "./operations";

const route = getRouteApi("/api-docs");

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

/** Whether every word of the filter is in the call. */
function isAbout({ method, path, summary }: Operation, filter: string): boolean {
  const text = `${method} ${path} ${summary}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Every call of the API, ready to be made. */
export function ApiDocsPage() {
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending } = useQuery(documentQuery);
  const shown = (data ?? []).filter((one) => isAbout(one, q));
  const groups = Map.groupBy(shown, ({ tag }) => tag);
  return (
    <>
      <PageHeader
        title="API"
        lead={
          <>
            This web UI uses these calls alone. The complete description, for generators of clients, is at{" "}
            <a href={DOCUMENT} className={styles.link}>
              {DOCUMENT}
            </a>
            . Calls that change nothing can be made from here.
          </>
        }
        count={data ? count(data.length) : undefined}
        actions={
          <SearchField
            label="Filter calls"
            value={q}
            onChange={(typed) => void navigate({ search: typed ? { q: typed } : {}, replace: true })}
          />
        }
      />
      {isPending ? <p role="status">Loading the API description …</p> : null}
      {data && shown.length === 0 ? <EmptyState title="No matches">Change the filter.</EmptyState> : null}
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
