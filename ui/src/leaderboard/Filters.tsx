import { getRouteApi } from "@tanstack/react-router";
import type { Benchmark } from "../api/client";
import { inputClass } from "../ui/Field";
import { SearchField } from "../ui/SearchField";
import { Segments } from "../ui/Segments";
import styles from "./LeaderboardPage.module.css";
import type { LeaderboardSearch, Source } from "./search";

const route = getRouteApi("/leaderboard");

interface Props {
  search: LeaderboardSearch;
  benchmark: string;
  cards: readonly Benchmark[];
  /** Names of benchmarks that lately had a run. */
  tried: ReadonlySet<string>;
  /** The kinds of data there are scores of. */
  sources: readonly Source[];
  source: Source;
}

export function Filters({ search, benchmark, cards, tried, sources, source }: Props) {
  const navigate = route.useNavigate();
  const { true: withRuns = [], false: others = [] } = Object.groupBy(cards, ({ name }) =>
    tried.has(name) ? "true" : "false",
  );
  const isListed = benchmark === "" || cards.some(({ name }) => name === benchmark);
  return (
    <search className={styles.filters}>
      <select
        className={inputClass}
        aria-label="Benchmark"
        value={benchmark}
        onChange={({ target }) =>
          void navigate({ search: ({ data: _data, ...before }) => ({ ...before, benchmark: target.value }) })
        }
      >
        {isListed ? null : <option value={benchmark}>{benchmark}</option>}
        <Options label="With runs" cards={withRuns} />
        <Options label="Not run lately" cards={others} />
      </select>
      <SearchField
        label="Filter by model"
        value={search.q ?? ""}
        onChange={(q) =>
          void navigate({ search: ({ q: _q, ...before }) => (q ? { ...before, q } : before), replace: true })
        }
      />
      <Segments
        label="View"
        value={search.view ?? "ranking"}
        options={[
          { value: "ranking", label: "Ranking" },
          { value: "cost", label: "Score against cost" },
          { value: "history", label: "Over time" },
        ]}
        onChange={(view) => void navigate({ search: (before) => ({ ...before, view }), replace: true })}
      />
      {sources.length > 1 ? (
        <Segments
          label="Data"
          value={source}
          options={[
            { value: "official", label: "Official data" },
            { value: "demo", label: "Demo items", title: "A few items written for trying things out" },
          ]}
          onChange={(data) => void navigate({ search: (before) => ({ ...before, data }), replace: true })}
        />
      ) : null}
    </search>
  );
}

function Options({ label, cards }: { label: string; cards: readonly Benchmark[] }) {
  if (cards.length === 0) return null;
  return (
    <optgroup label={label}>
      {cards.map(({ name, display_name }) => (
        <option key={name} value={name}>
          {display_name} ({name})
        </option>
      ))}
    </optgroup>
  );
}
