import type { RunEstimate, Schemas } from "../api/client";
import { usd } from "../format";
import { inWordsOfTheUi } from "../api/wording";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import type { TextField } from "./draft";
import styles from "./PreflightList.module.css";

type Check = Schemas["PreflightCheck"];

const ROLES: Record<Check["role"], string> = {
  model: "",
  benchmark: "",
  judge: "judge",
  user_model: "simulated user",
};
const NEEDS: Record<Check["needs"], string> = {
  endpoint: "",
  data: "data",
  sandbox: "sandbox",
  judge: "judge",
  user_model: "simulated user",
};

interface Props {
  found: Schemas["Preflight"];
  costs: RunEstimate["evaluations"];
  /** Shows the field of the form that fills what is missing. */
  onShow: (field: TextField) => void;
}

/** What is missing and can be filled in here. */
const FIELDS: Partial<Record<Check["needs"], { field: TextField; label: string }>> = {
  judge: { field: "judge", label: "Choose a judge" },
  user_model: { field: "user_model", label: "Choose a simulated user" },
};

/** A line for each model and benchmark: what it needs, whether it is there, and what it will cost. */
export function PreflightList({ found, costs, onShow }: Props) {
  const lacking = new Set(found.checks.filter(({ is_ready }) => !is_ready).map(({ needs }) => needs));
  const groups = Map.groupBy(found.checks, ({ role, name }) => `${role} ${name}`);
  return (
    <section aria-label="Before it starts">
      <h3 className={styles.title}>Before it starts</h3>
      <ul className={styles.checks}>
        {[...groups].map(([key, checks]) => (
          <Line key={key} checks={checks} costs={costs} />
        ))}
      </ul>
      {[...lacking].map((needs) => {
        const filled = FIELDS[needs];
        return filled ? (
          <Button key={needs} isSmall onClick={() => onShow(filled.field)}>
            {filled.label}
          </Button>
        ) : null;
      })}
    </section>
  );
}

function Line({ checks, costs }: { checks: readonly Check[]; costs: Props["costs"] }) {
  const [first] = checks;
  if (!first) return null;
  const isReady = checks.every(({ is_ready }) => is_ready);
  const cost = first.role === "model" ? costText(costs.filter(({ model }) => model === first.name)) : "";
  const parts = checks.filter(({ is_ready }) => isReady || !is_ready).map(said);
  return (
    <li data-ready={isReady}>
      <Icon name={isReady ? "check" : "alert"} size={14} />
      <div>
        <strong>{first.name}</strong>
        {ROLES[first.role] ? ` (${ROLES[first.role]})` : ""}
        {isReady ? <span className="visually-hidden"> is ready</span> : null}
        <small>{[...parts, cost].filter(Boolean).join(" · ")}</small>
      </div>
    </li>
  );
}

function said({ needs, message }: Check): string {
  const text = inWordsOfTheUi(message);
  return NEEDS[needs] ? `${NEEDS[needs]}: ${text}` : text;
}

export function costText(evaluations: Props["costs"]): string {
  if (evaluations.length === 0) return "";
  const known = evaluations.flatMap(({ cost_usd }) => cost_usd ?? []);
  if (known.length < evaluations.length) return "price unknown";
  const low = known.reduce((sum, one) => sum + one.low, 0);
  const high = known.reduce((sum, one) => sum + one.high, 0);
  return high === 0 ? "free" : `${usd(low)} – ${usd(high)}`;
}
