import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import { benchmarksQuery, runsQuery } from "../api/queries";
import { namesOf } from "../catalogue/families";
import { short } from "../format";
import { useDebounced } from "../ui/debounced";
import { Dialog } from "../ui/Dialog";
import { Icon, type IconName } from "../ui/Icon";
import { stateLabel } from "../ui/StatusMark";
import { DESTINATIONS } from "./destinations";
import styles from "./Palette.module.css";

interface Entry {
  id: string;
  icon: IconName;
  label: string;
  note?: string;
  go: () => void;
}

interface Props {
  onClose: () => void;
  onKeys: () => void;
}

const MOST_RUNS = 6;
const TYPING_MS = 120;
const MOST_BENCHMARKS = 5;

/** Type a few letters, press Enter: pages, runs and benchmarks. */
export default function Palette({ onClose, onKeys }: Props) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const entries = useEntries(text.trim(), onKeys);
  const current = Math.min(chosen, entries.length - 1);

  function pick(entry: Entry | undefined) {
    if (!entry) return;
    onClose();
    entry.go();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") pick(entries[current]);
    else if (event.key === "ArrowDown") setChosen((current + 1) % entries.length);
    else if (event.key === "ArrowUp") setChosen((current - 1 + entries.length) % entries.length);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title="Go to" onClose={onClose} isBare>
      <div className={styles.field}>
        <Icon name="search" />
        <input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog was opened to type into it
          autoFocus
          role="combobox"
          aria-label="Go to a page, a run or a benchmark"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={entries[current] ? `${list}-${current}` : undefined}
          placeholder="Page, or a run by id, model, benchmark, name, tag"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <div id={list} role="listbox" aria-label="Matches" className={styles.list}>
        {entries.map((entry, place) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys go to the field above
          <div
            key={entry.id}
            id={`${list}-${place}`}
            role="option"
            aria-selected={place === current}
            className={styles.entry}
            onClick={() => pick(entry)}
            onMouseMove={() => setChosen(place)}
          >
            <Icon name={entry.icon} />
            <span>{entry.label}</span>
            {entry.note ? <small>{entry.note}</small> : null}
          </div>
        ))}
      </div>
      {entries.length === 0 ? <p className={styles.none}>No matches.</p> : null}
    </Dialog>
  );
}

function useEntries(text: string, onKeys: () => void): Entry[] {
  const navigate = useNavigate();
  const asked = useDebounced(text, TYPING_MS);
  const { data: runs } = useQuery(runsQuery({ search: asked || undefined, limit: MOST_RUNS }));
  const { data: catalogue } = useQuery(benchmarksQuery);
  const matches = (label: string) => label.toLowerCase().includes(text.toLowerCase());

  const pages: Entry[] = [
    { id: "new", icon: "plus", label: "New run", go: () => navigate({ to: "/runs/new" }) },
    ...DESTINATIONS.flat().map(({ to, label, icon }): Entry => {
      return { id: to, icon, label, go: () => navigate({ to }) };
    }),
    { id: "keys", icon: "keyboard", label: "Keyboard shortcuts", go: onKeys },
  ];
  const ofRuns = (runs?.runs ?? []).map((run): Entry => {
    const tags = run.tags.map((tag) => `#${tag}`);
    return {
      id: run.id,
      icon: "runs",
      label: `${run.models.join(", ")} on ${run.selected_benchmarks.join(", ")}`,
      note: [run.name, ...tags, stateLabel(run.status), short(run.id)].filter(Boolean).join(" · "),
      go: () => navigate({ to: "/runs/$runId", params: { runId: run.id } }),
    };
  });
  const benchmarks = (catalogue?.benchmarks ?? [])
    .filter((one) => text && matches(namesOf(one)))
    .slice(0, MOST_BENCHMARKS)
    .map((one): Entry => {
      return {
        id: `benchmark-${one.name}`,
        icon: "book",
        label: one.display_name,
        note: "Benchmark",
        go: () => navigate({ to: "/benchmarks/$name", params: { name: one.name } }),
      };
    });
  return [...pages.filter(({ label }) => matches(label)), ...benchmarks, ...ofRuns];
}
