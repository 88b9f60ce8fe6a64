import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { codeTasksQuery } from "../api/code";
import { ModelPicker } from "../models/ModelPicker";
import { Notice } from "../ui/Notice";
import { Generation } from "./Generation";
import styles from "./LaunchForm.module.css";
import { LmStudio } from "./LmStudio";
import { problemsOf, type Problems } from "./request";
import { type CodeSearch, codeSearch } from "./search";
import { askedFor, chosenIds } from "./selection";
import { StartPanel } from "./StartPanel";
import { TaskPicker } from "./TaskPicker";

const route = getRouteApi("/code");

/** What the parts of the form are given. */
export interface PartProps {
  search: CodeSearch;
  problems: Problems;
  change: (part: CodeSearch) => void;
}

export function LaunchForm() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(codeTasksQuery);
  const problems = problemsOf(search);
  const tasks = data?.tasks ?? [];
  const chosen = chosenIds(tasks, search.task);
  const models = search.model ?? [];

  function change(part: CodeSearch) {
    void navigate({ search: (before) => codeSearch({ ...before, ...part }), replace: true });
  }

  return (
    <div className={styles.columns}>
      <form className={styles.form} onSubmit={(event) => event.preventDefault()}>
        <ModelPicker chosen={models} problem={problems.model} onChange={(model) => change({ model })} />
        <LmStudio onAdd={(model) => change({ model: [...models, model] })} />
        {error ? <Notice>{error.message}</Notice> : null}
        <TaskPicker
          tasks={tasks}
          chosen={chosen}
          onChange={(ids) => change({ task: askedFor(tasks, ids) })}
        />
        <Generation search={search} problems={problems} change={change} />
      </form>
      <StartPanel search={search} problems={problems} chosen={chosen} total={tasks.length} />
    </div>
  );
}
