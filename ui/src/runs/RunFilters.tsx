import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { benchmarksQuery } from "../api/queries";
import { Icon } from "../ui/Icon";
import { STATES, stateLabel } from "../ui/StatusMark";
import { useShortcut } from "../ui/shortcuts";
import styles from "./RunFilters.module.css";
import { narrowed, type RunsSearch } from "./search";

export function RunFilters({ search }: { search: RunsSearch }) {
  return (
    <search className={styles.filters}>
      <ModelFilter search={search} />
      <BenchmarkFilter search={search} />
      <nav className={styles.states} aria-label="Filter by status">
        {[undefined, ...STATES].map((status) => (
          <Link
            key={status ?? "all"}
            to="/"
            search={narrowed(search, { status })}
            activeOptions={{ exact: true, includeSearch: true }}
            className={styles.state}
            aria-current={search.status === status ? "true" : undefined}
          >
            {status ? stateLabel(status) : "All"}
          </Link>
        ))}
      </nav>
    </search>
  );
}

function ModelFilter({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  useShortcut("/", () => input.current?.focus());

  // The field leads while the reader types; the URL leads when it changes by other means, such as Back.
  const inUrl = search.model ?? "";
  const [text, setText] = useState(inUrl);
  const [lastInUrl, setLastInUrl] = useState(inUrl);
  if (inUrl !== lastInUrl) {
    setLastInUrl(inUrl);
    if (inUrl !== text.trim()) setText(inUrl);
  }

  function change(typed: string) {
    setText(typed);
    navigate({ to: "/", search: narrowed(search, { model: typed.trim() || undefined }), replace: true });
  }

  return (
    <label className={styles.text}>
      <Icon name="search" />
      <span className="visually-hidden">Filter by model</span>
      <input
        ref={input}
        type="search"
        placeholder="Filter by model"
        value={text}
        onChange={(event) => change(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

function BenchmarkFilter({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  const { data } = useQuery(benchmarksQuery);
  const installed = data?.benchmarks.map(({ name }) => name) ?? [];
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
