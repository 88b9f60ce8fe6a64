import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type LoadTest, loadTestsQuery } from "../api/load";
import { count, duration, rate } from "../format";
import { Button } from "../ui/Button";
import { Command } from "../ui/Command";
import { type Column, DataTable } from "../ui/DataTable";
import { EmptyState } from "../ui/EmptyState";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { PageHeader } from "../ui/Page";
import { Age } from "../ui/Time";
import styles from "./Load.module.css";
import { doubtful, stagesText } from "./wording";

/** Tests that `assay load` made. */
export function LoadTestsPage() {
  const pages = useInfiniteQuery(loadTestsQuery);
  const tests = pages.data?.pages.flatMap((page) => page.load_tests) ?? [];
  const total = pages.data?.pages[0]?.total ?? 0;
  return (
    <>
      <PageHeader
        title="Load tests"
        count={total > 0 ? count(total) : undefined}
        lead="How latency and throughput of an endpoint change with the load, as measured by assay load."
      />
      {pages.error ? <Notice>{pages.error.message}</Notice> : null}
      {tests.length > 0 ? (
        <DataTable caption="Load tests" columns={COLUMNS} rows={tests} keyOf={({ id }) => id} />
      ) : null}
      {pages.data && total === 0 ? (
        <EmptyState title="No load tests yet">
          <p>Load tests are started on the command line of a machine that reaches the endpoint:</p>
          <Command>assay load vllm/my-model --rate 1,2,4,8</Command>
        </EmptyState>
      ) : null}
      {pages.hasNextPage ? (
        <Button isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show older ones
        </Button>
      ) : null}
    </>
  );
}

const COLUMNS: readonly Column<LoadTest>[] = [
  {
    name: "Model",
    isHeading: true,
    cell: ({ id, spec }) => (
      <Link to="/load/$testId" params={{ testId: id }} className={styles.link}>
        <ModelName model={spec.model} /> {spec.name ? <span className={styles.name}>{spec.name}</span> : null}
      </Link>
    ),
  },
  { name: "Load", cell: ({ spec }) => stagesText(spec) },
  { name: "Goodput limits", isSoft: true, cell: ({ spec }) => spec.goodput ?? "—" },
  {
    name: "Best throughput",
    isNumber: true,
    cell: ({ max_requests_per_s: most }) => (most === null ? "—" : rate(most)),
  },
  { name: "Took", isNumber: true, isSoft: true, cell: ({ duration_s }) => duration(duration_s * 1000) },
  {
    name: "Doubtful",
    isNumber: true,
    cell: ({ distorted_levels, levels }) => doubtful(distorted_levels, levels),
  },
  { name: "Made", isSoft: true, cell: ({ created_at }) => <Age of={created_at} /> },
];
