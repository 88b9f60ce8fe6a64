import { useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import type { Run, RunDetail } from "../api/client";
import { runQuery, runsQuery } from "../api/queries";
import { age, short } from "../format";
import { useDebounced } from "../ui/debounced";
import { Icon } from "../ui/Icon";
import { useNow } from "../ui/now";
import { inputClass } from "../ui/Field";
import styles from "./RunPicker.module.css";
import type { CompareSearch } from "./search";

const route = getRouteApi("/compare");
const OFFERED = 8;
const TYPING_MS = 120;

/** Which runs are compared; the first is the baseline. */
export function RunPicker({ search }: { search: CompareSearch }) {
  const navigate = route.useNavigate();
  const chosen = search.run ?? [];
  const found = useQueries({ queries: chosen.map((id) => runQuery(id)) });
  const change = (run: string[]) =>
    void navigate({ search: ({ evaluation: _e, item: _i, ...before }) => ({ ...before, run }) });

  return (
    <div className={styles.picker}>
      <ol className={styles.chosen} aria-label="Runs compared">
        {chosen.map((id, place) => (
          <li key={id}>
            {place === 0 ? <small>baseline</small> : null}
            <span title={id}>{nameOf(found[place]?.data, id)}</span>
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
      <RunSearch chosen={chosen} onAdd={(id) => change([...chosen, id])} />
    </div>
  );
}

interface SearchProps {
  chosen: readonly string[];
  onAdd: (id: string) => void;
}

/** All runs by id, model, benchmark, name and tag; the newest while nothing is typed. */
function RunSearch({ chosen, onAdd }: SearchProps) {
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const [place, setPlace] = useState(0);
  const list = useId();
  const search = useDebounced(text.trim(), TYPING_MS) || undefined;
  const { data } = useQuery({ ...runsQuery({ search, limit: OFFERED + chosen.length }), enabled: isOpen });
  const runs = (data?.runs ?? []).filter(({ id }) => !chosen.includes(id)).slice(0, OFFERED);
  const now = useNow();
  const current = Math.min(place, runs.length - 1);

  function pick(run: Run | undefined) {
    if (!run) return;
    onAdd(run.id);
    setText("");
    setPlace(0);
    setIsOpen(false);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") pick(isOpen ? runs[current] : undefined);
    else if (event.key === "Escape") setIsOpen(false);
    else if (event.key === "ArrowDown") setPlace(isOpen ? Math.min(current + 1, runs.length - 1) : 0);
    else if (event.key === "ArrowUp") setPlace(Math.max(current - 1, 0));
    else return;
    if (event.key.startsWith("Arrow")) setIsOpen(true);
    event.preventDefault();
  }

  return (
    <div className={styles.search}>
      <input
        role="combobox"
        aria-label="Add a run"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-activedescendant={isOpen && runs[current] ? `${list}-${current}` : undefined}
        className={inputClass}
        placeholder="Add a run: id, model, name, tag"
        value={text}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onChange={(event) => {
          setText(event.target.value);
          setPlace(0);
          setIsOpen(true);
        }}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
      />
      <div className={styles.drop} hidden={!isOpen}>
        <div id={list} role="listbox" aria-label="Runs found">
          {runs.map((run, at) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys go to the field above
            <div
              key={run.id}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === current}
              className={styles.option}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(run)}
            >
              {nameOf(run, run.id)}
              <small>
                {[run.name, ...factsOf(run), age(run.created_at, now)].filter(Boolean).join(" · ")}
              </small>
            </div>
          ))}
        </div>
        {data && runs.length === 0 ? <p className={styles.note}>No matches.</p> : null}
      </div>
    </div>
  );
}

function factsOf({ tags, selected_benchmarks }: Run): string[] {
  return [...tags.map((tag) => `#${tag}`), selected_benchmarks.join(", ")];
}

function nameOf(run: Run | RunDetail | undefined, id: string): string {
  return run ? `${run.models.join(", ")} · ${short(id)}` : short(id);
}
