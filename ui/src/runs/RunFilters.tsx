import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { benchmarksQuery } from "../api/queries";
import { FilterLinks, filterLinkClass } from "../ui/FilterLinks";
import { SearchField } from "../ui/SearchField";
import { STATES, stateLabel } from "../ui/StatusMark";
import styles from "./RunFilters.module.css";
import { ORDERS } from "./order";
import { narrowed, type RunsSearch, runsSearch } from "./search";

export function RunFilters({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  return (
    <search className={styles.filters}>
      <SearchField
        label="Filter by model"
        value={search.model ?? ""}
        onChange={(model) =>
          void navigate({ to: "/", search: narrowed(search, { model: model || undefined }), replace: true })
        }
      />
      <BenchmarkFilter search={search} />
      <Order search={search} />
      <div className={styles.states}>
        <FilterLinks label="Filter by status">
          {[undefined, ...STATES].map((status) => (
            <Link
              key={status ?? "all"}
              to="/"
              search={narrowed(search, { status })}
              activeOptions={{ exact: true, includeSearch: true }}
              className={filterLinkClass}
              aria-current={search.status === status ? "true" : undefined}
            >
              {status ? stateLabel(status) : "All"}
            </Link>
          ))}
        </FilterLinks>
      </div>
    </search>
  );
}

/** Where the screen has no room for the headings of columns, which sort too. */
function Order({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  return (
    <select
      className={`${styles.select} ${styles.order}`}
      aria-label="Sort"
      value={search.sort ?? ""}
      onChange={({ target }) => {
        const { sort } = runsSearch({ sort: target.value });
        void navigate({ to: "/", search: narrowed(search, { sort }), replace: true });
      }}
    >
      {ORDERS.map(({ sort, label }) => (
        <option key={label} value={sort ?? ""}>
          {label}
        </option>
      ))}
    </select>
  );
}

function BenchmarkFilter({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  const { data } = useQuery(benchmarksQuery);
  const installed = data?.benchmarks.filter(({ needs_setup }) => !needs_setup).map(({ name }) => name) ?? [];
  const names = [...new Set(search.benchmark ? [search.benchmark, ...installed] : installed)].toSorted();
  return (
    <select
      className={styles.select}
      aria-label="Filter by benchmark"
      value={search.benchmark ?? ""}
      onChange={(event) =>
        navigate({ to: "/", search: narrowed(search, { benchmark: event.target.value || undefined }) })
      }
    >
      <option value="">All benchmarks</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
