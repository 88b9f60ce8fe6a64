import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Run } from "../api/client";
import { runsQuery } from "../api/queries";
import { age, short } from "../format";
import { Icon } from "../ui/Icon";
import { useNow } from "../ui/now";
import { inputClass } from "../ui/Field";
import styles from "./RunPicker.module.css";
import type { CompareSearch } from "./search";

const route = getRouteApi("/compare");
const OFFERED = 100;

/** Which runs are compared; the first is the baseline. */
export function RunPicker({ search }: { search: CompareSearch }) {
  const navigate = route.useNavigate();
  const { data } = useQuery(runsQuery({ limit: OFFERED }));
  const now = useNow();
  const chosen = search.run ?? [];
  const runs = data?.runs ?? [];
  const change = (run: string[]) =>
    void navigate({ search: ({ evaluation: _e, item: _i, ...before }) => ({ ...before, run }) });

  return (
    <div className={styles.picker}>
      <ol className={styles.chosen} aria-label="Runs compared">
        {chosen.map((id, place) => (
          <li key={id}>
            {place === 0 ? <small>baseline</small> : null}
            <span title={id}>
              {nameOf(
                runs.find((run) => run.id === id),
                id,
              )}
            </span>
            <button
              type="button"
              aria-label={`Remove run ${short(id)}`}
              onClick={() => change(chosen.filter((one) => one !== id))}
            >
              <Icon name="cross" size={12} />
            </button>
          </li>
        ))}
      </ol>
      <select
        className={inputClass}
        aria-label="Add a run"
        value=""
        onChange={({ target }) => target.value && change([...chosen, target.value])}
      >
        <option value="">{chosen.length === 0 ? "Choose a run …" : "Add a run …"}</option>
        {runs
          .filter(({ id }) => !chosen.includes(id))
          .map((run) => (
            <option key={run.id} value={run.id}>
              {`${nameOf(run, run.id)} · ${run.selected_benchmarks.join(", ")} · ${age(run.created_at, now)}`}
            </option>
          ))}
      </select>
    </div>
  );
}

function nameOf(run: Run | undefined, id: string): string {
  return run ? `${run.models.join(", ")} · ${short(id)}` : short(id);
}
