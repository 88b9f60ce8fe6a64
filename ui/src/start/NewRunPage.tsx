import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ApiError } from "../api/client";
import { estimateQuery, preflightQuery } from "../api/start";
import { ModelPicker } from "../models/ModelPicker";
import { useDebounced } from "../ui/debounced";
import { PageHeader } from "../ui/Page";
import { BenchmarkPicker } from "./BenchmarkPicker";
import { type Draft, draftOf } from "./draft";
import { EstimatePanel } from "./EstimatePanel";
import styles from "./NewRunPage.module.css";
import { Options } from "./Options";
import { problemsOf, type Problems, requestOf } from "./request";
import { Scope } from "./Scope";
import { Stop } from "./Stop";

const route = getRouteApi("/runs/new");
const TYPING_MS = 350;

/** What every part of the form is given. */
export interface PartProps {
  draft: Draft;
  problems: Problems;
  change: (part: Draft) => void;
}

export function NewRunPage() {
  const draft = route.useSearch();
  const navigate = route.useNavigate();
  const { estimate, preflight } = useChecked(draft);
  const problems = { ...serverProblems(estimate.error), ...problemsOf(draft) };

  function change(part: Draft) {
    void navigate({ search: (before) => draftOf({ ...before, ...part }), replace: true });
  }

  const part = { draft, problems, change };
  return (
    <>
      <PageHeader
        title="New run"
        lead="Choose models and benchmarks. The address of this page holds all choices: share it, or come back to it."
      />
      <div className={styles.columns}>
        <form className={styles.form} onSubmit={(event) => event.preventDefault()}>
          <ModelPicker
            chosen={draft.model ?? []}
            problem={problems.model}
            onChange={(model) => change({ model })}
          />
          <BenchmarkPicker {...part} />
          <Scope {...part} />
          <Stop {...part} />
          <Options {...part} />
        </form>
        <EstimatePanel
          draft={draft}
          problems={problems}
          estimate={estimate}
          preflight={preflight}
          change={change}
        />
      </div>
    </>
  );
}

/** What the server says of the draft, once it is complete and nothing in it is wrong by itself. */
function useChecked(draft: Draft) {
  const asked = useDebounced(draft, TYPING_MS);
  const isComplete =
    Boolean(asked.model?.length && asked.benchmark?.length) && Object.keys(problemsOf(asked)).length === 0;
  const request = requestOf(asked);
  const preflight = useQuery({ ...preflightQuery(request), enabled: isComplete });
  // Without its data nothing can be said of a run.
  const hasData = preflight.data?.checks.every(({ needs, is_ready }) => needs !== "data" || is_ready);
  const isKnown = preflight.isError || (!preflight.isPlaceholderData && hasData);
  const estimate = useQuery({ ...estimateQuery(request), enabled: isComplete && isKnown === true });
  return { estimate, preflight };
}

const FIELDS: readonly [field: keyof Draft, asked: string][] = [
  ["model", "models"],
  ["benchmark", "selected_benchmarks"],
  ["item", "items"],
  ["seed", "subset_seed"],
  ["base_url", "config.base_url"],
  ["budget_usd", "config.budget_usd"],
  ["judge", "config.judge"],
  ["judge_base_url", "config.judge.base_url"],
  ["weights", "config.weights"],
  ["user_model", "config.user_model"],
  ["effort", "config.reasoning_effort"],
  ["stop_when", "stop"],
];

function serverProblems(error: Error | null): Problems {
  const problems: Problems = {};
  if (!(error instanceof ApiError)) return problems;
  for (const [field, asked] of FIELDS) {
    const problem = error.about(asked) ?? error.about(field);
    if (problem) problems[field] = problem;
  }
  return problems;
}
