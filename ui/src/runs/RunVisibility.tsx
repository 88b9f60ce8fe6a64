import { useQuery } from "@tanstack/react-query";
import { accountQuery } from "../account/account";
import type { RunDetail } from "../api/client";
import { useRunChange } from "../api/control";
import { toast } from "../ui/Toasts";
import styles from "./RunVisibility.module.css";

const WHO: Readonly<Record<RunDetail["visibility"], string>> = {
  private: "Private",
  team: "Team",
  public: "Public",
};
const SHOWN = ["private", "team", "public"] as const;

/** Who sees the run, to be changed by whoever is let in. */
export default function RunVisibility({ run }: { run: RunDetail }) {
  const { data } = useQuery(accountQuery);
  const change = useRunChange(run.id);
  if (data?.needs_identity && !data.authenticated) return <span>{WHO[run.visibility]}</span>;
  return (
    <select
      className={styles.who}
      aria-label="Who sees this run"
      title="Private: its owner and admins. Team: everybody who is let in. Public: whoever asks."
      value={change.isPending ? (change.variables.visibility ?? run.visibility) : run.visibility}
      disabled={change.isPending}
      onChange={({ target }) => {
        const visibility = SHOWN.find((one) => one === target.value);
        if (!visibility) return;
        change.mutate(
          { visibility },
          {
            onSuccess: () => toast("Saved."),
            onError: ({ message }) => toast(message, { isBad: true }),
          },
        );
      }}
    >
      {SHOWN.map((one) => (
        <option key={one} value={one}>
          {WHO[one]}
        </option>
      ))}
    </select>
  );
}
