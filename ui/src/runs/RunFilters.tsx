import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { benchmarksQuery } from "../api/queries";
import { FilterLinks, filterLinkClass } from "../ui/FilterLinks";
import { Icon } from "../ui/Icon";
import { SearchField } from "../ui/SearchField";
import { STATES, stateLabel } from "../ui/StatusMark";
import { SavedFilters } from "./list/SavedFilters";
import styles from "./RunFilters.module.css";
import { ORDERS } from "./order";
import { narrowed, type RunsSearch, runsSearch } from "./search";

const CHIPS = ["model", "tag"] as const;

export function RunFilters({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  return (
    <search className={styles.filters}>
      <SearchField
        label="Filter runs"
        placeholder="Id, model, name, tag"
        value={search.q ?? ""}
        onChange={(q) =>
          void navigate({ to: "/", search: narrowed(search, { q: q || undefined }), replace: true })
        }
      />
      <BenchmarkFilter search={search} />
      <SavedFilters search={search} />
      <Order search={search} />
      <div className={styles.states}>
        <FilterLinks label="Filter by status">
          {[undefined, ...STATES].map((status) => (
            <Link
              key={status ?? "all"}
              to="/"
              search={narrowed(search, { status, archived: undefined })}
              activeOptions={{ exact: true, includeSearch: true }}
              className={filterLinkClass}
              aria-current={search.status === status && !search.archived ? "true" : undefined}
            >
              {status ? stateLabel(status) : "All"}
            </Link>
          ))}
          <Link
            to="/"
            search={narrowed(search, { status: undefined, archived: true })}
            activeOptions={{ exact: true, includeSearch: true }}
            className={filterLinkClass}
            aria-current={search.archived ? "true" : undefined}
          >
            Archived
          </Link>
        </FilterLinks>
      </div>
      <Chips search={search} />
    </search>
  );
}

/** Filters that come from a link elsewhere; a click takes one away. */
function Chips({ search }: { search: RunsSearch }) {
  const set = CHIPS.filter((name) => search[name]);
  if (set.length === 0) return null;
  return (
    <div className={styles.chips}>
      {set.map((name) => (
        <Link
          key={name}
          to="/"
          search={narrowed(search, { [name]: undefined })}
          className={styles.chip}
          aria-label={`Remove the filter by ${name} ${search[name]}`}
        >
          {name} <strong>{search[name]}</strong>
          <Icon name="cross" size={12} />
        </Link>
      ))}
    </div>
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
