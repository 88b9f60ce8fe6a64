import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Run } from "../api/client";
import { runsQuery } from "../api/queries";
import type { HistoryPoint } from "../charts/history";
import { ScoreHistory } from "../charts/ScoreHistory";
import { EmptyState } from "../ui/EmptyState";
import { inputClass } from "../ui/Field";
import { Notice } from "../ui/Notice";
import styles from "./LeaderboardPage.module.css";
import type { LeaderboardSearch, Source } from "./search";

const route = getRouteApi("/leaderboard");
const MOST_RUNS = 200;

interface Props {
  benchmark: string;
  search: LeaderboardSearch;
  source: Source;
}

/** How the scores of a model on a benchmark went from run to run. */
export function HistoryView({ benchmark, search, source }: Props) {
  const navigate = route.useNavigate();
  const { data, error } = useQuery(runsQuery({ benchmark, limit: MOST_RUNS }));
  const runs = (data?.runs ?? []).filter((run) => (run.data === "demo") === (source === "demo"));
  const counts = new Map<string, number>();
  for (const { model } of runs.flatMap((run) => scored(run, benchmark))) {
    counts.set(model, (counts.get(model) ?? 0) + 1);
  }
  const part = (search.q ?? "").toLowerCase();
  const models = [...counts]
    .filter(([name]) => name.toLowerCase().includes(part))
    .toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  const model = models.find(([name]) => name === search.model)?.[0] ?? models[0]?.[0];
  if (error) return <Notice>{error.message}</Notice>;
  if (!data) return null;
  if (!model) {
    return (
      <EmptyState title={part ? "No matches" : "No scores yet"}>
        <p>{part ? "Change the filter." : `The scores of ${benchmark} appear here as runs end.`}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <select
        className={`${inputClass} ${styles.model}`}
        aria-label="Model"
        value={model}
        onChange={({ target }) =>
          void navigate({ search: (before) => ({ ...before, model: target.value }), replace: true })
        }
      >
        {models.map(([name, count]) => (
          <option key={name} value={name}>
            {name} ({count === 1 ? "1 score" : `${count} scores`})
          </option>
        ))}
      </select>
      {data.total > MOST_RUNS ? (
        <Notice tone="gold">{`From the newest ${MOST_RUNS} of ${data.total.toLocaleString("en-US")} runs.`}</Notice>
      ) : null}
      <ScoreHistory
        title={`${model} on ${benchmark} over time`}
        points={runs.flatMap((run) => pointsOf(run, benchmark, model))}
      />
    </>
  );
}

function scored(run: Run, benchmark: string) {
  return run.evaluations.filter((one) => one.benchmark === benchmark && one.score && one.finished_at);
}

function pointsOf(run: Run, benchmark: string, model: string): HistoryPoint[] {
  return scored(run, benchmark).flatMap((one) =>
    one.model === model && one.score && one.finished_at
      ? [
          {
            runId: run.id,
            at: Date.parse(one.finished_at),
            score: one.score.value,
            interval: one.score.interval,
            fingerprint: one.fingerprint,
          },
        ]
      : [],
  );
}
