import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { itemQuery, runQuery } from "../api/queries";
import { useReveal } from "../api/reveal";
import { short } from "../format";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Attempts } from "./Attempts";
import { isRefused, Masked } from "./Masked";
import styles from "./ItemPage.module.css";

const route = getRouteApi("/runs/$runId/items/$itemId");

/** One item on a page of its own, to link to. */
export function ItemPage() {
  const { runId, itemId } = route.useParams();
  const search = route.useSearch();
  const { data: run } = useQuery(runQuery(runId));
  const [first] = run?.evaluations ?? [];
  const model = search.model ?? first?.model ?? "";
  const benchmark = search.benchmark ?? first?.benchmark ?? "";
  const [reveal] = useReveal(runId);
  const item = useQuery({
    ...itemQuery(runId, { benchmark, model, itemId, reveal }),
    enabled: benchmark !== "",
  });
  return (
    <div className={styles.page}>
      <title>{`${itemId} · Assay`}</title>
      <Link
        to="/runs/$runId/items"
        params={{ runId }}
        search={{ benchmark, model, item: itemId }}
        className={styles.back}
      >
        <Icon name="back" size={14} /> Items of run {short(runId)}
      </Link>
      <header>
        <h1>{itemId}</h1>
        <p>
          <ModelName model={model} /> on {benchmark}
        </p>
      </header>
      <Masked runId={runId} isMasked={item.data?.is_masked ?? false} error={item.error} />
      {item.error && !isRefused(item.error) ? (
        <EmptyState title="The item cannot be shown">{item.error.message}</EmptyState>
      ) : null}
      {item.data ? <Attempts item={item.data} first={search.sample ?? 0} /> : null}
    </div>
  );
}
