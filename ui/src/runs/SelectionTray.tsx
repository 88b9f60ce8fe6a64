import { Link, useNavigate } from "@tanstack/react-router";
import { Button, buttonClass } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useShortcut } from "../ui/shortcuts";
import styles from "./SelectionTray.module.css";

/** What is selected, and what can be done with it; the first selected run is the baseline. */
export function SelectionTray({ picked, onClear }: { picked: string[]; onClear: () => void }) {
  const navigate = useNavigate();
  useShortcut("c", () => void navigate({ to: "/compare", search: { run: picked } }));
  useShortcut("Escape", onClear);
  return (
    <div className={styles.tray} role="status">
      <span>
        <strong>{picked.length}</strong> {picked.length === 1 ? "run" : "runs"} selected
      </span>
      <Link
        to="/compare"
        search={{ run: picked }}
        className={buttonClass({ tone: "primary", isSmall: true })}
      >
        <Icon name="compare" />
        Compare
      </Link>
      <Button tone="quiet" isSmall icon="cross" aria-label="Clear the selection" onClick={onClear} />
    </div>
  );
}
