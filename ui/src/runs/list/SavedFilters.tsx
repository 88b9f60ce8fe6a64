import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { stateLabel } from "../../ui/StatusMark";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field, inputClass } from "../../ui/Field";
import { Menu, MenuButton } from "../../ui/Menu";
import { toast } from "../../ui/Toasts";
import { filterOf, type RunsSearch } from "../search";
import dialogStyles from "../ControlDialogs.module.css";
import styles from "./SavedFilters.module.css";
import { useSavedFilters } from "./savedFilters";

/** Filters under names of the reader's own. */
export function SavedFilters({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  const { filters } = useSavedFilters();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Menu label="Saved" icon="filter">
        {filters.map((one) => (
          <MenuButton
            key={one.name}
            note={inWords(one.search)}
            onClick={() => void navigate({ to: "/", search: one.search })}
          >
            {one.name}
          </MenuButton>
        ))}
        <MenuButton icon="plus" onClick={() => setIsOpen(true)}>
          Save or remove filters
        </MenuButton>
      </Menu>
      {isOpen ? <FiltersDialog search={filterOf(search)} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function FiltersDialog({ search, onClose }: { search: RunsSearch; onClose: () => void }) {
  const { filters, save, remove } = useSavedFilters();
  const [name, setName] = useState("");

  function submit(event: FormEvent) {
    event.preventDefault();
    save({ name: name.trim(), search });
    toast(`Saved as “${name.trim()}”.`);
    onClose();
  }

  return (
    <Dialog title="Saved filters" onClose={onClose}>
      <form className={dialogStyles.body} onSubmit={submit}>
        <Field label="Name of the current filter" hint={inWords(search)}>
          {(wiring) => (
            <input
              {...wiring}
              className={inputClass}
              maxLength={60}
              value={name}
              onChange={({ target }) => setName(target.value)}
              autoComplete="off"
            />
          )}
        </Field>
        {filters.length > 0 ? (
          <ul className={styles.saved}>
            {filters.map((one) => (
              <li key={one.name}>
                <span>
                  <strong>{one.name}</strong> {inWords(one.search)}
                </span>
                <Button
                  tone="quiet"
                  isSmall
                  icon="cross"
                  aria-label={`Remove the filter ${one.name}`}
                  onClick={() => remove(one.name)}
                />
              </li>
            ))}
          </ul>
        ) : null}
        <div className={dialogStyles.buttons}>
          <Button onClick={onClose}>Close</Button>
          <Button tone="primary" type="submit" disabled={name.trim() === ""}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function inWords({ q, model, benchmark, tag, status, archived, sort }: RunsSearch): string {
  const parts = [
    q && `“${q}”`,
    model,
    benchmark,
    tag && `#${tag}`,
    status && stateLabel(status).toLowerCase(),
    archived && "archived",
    sort && `sorted by ${sort.replace("-", "")}`,
  ];
  return parts.filter(Boolean).join(" · ") || "all runs";
}
