import type { RunEstimate, Schemas } from "../api/client";
import { usd } from "../format";
import { Icon } from "../ui/Icon";
import styles from "./PreflightList.module.css";

type Check = Schemas["PreflightCheck"];

const ROLES: Record<Check["role"], string> = {
  model: "",
  benchmark: "",
  judge: "judge",
  user_model: "user's model",
};
const NEEDS: Record<Check["needs"], string> = {
  endpoint: "",
  data: "data",
  sandbox: "sandbox",
  judge: "judge",
  user_model: "user's model",
};

interface Props {
  found: Schemas["Preflight"];
  costs: RunEstimate["evaluations"];
}

/** A line for each model and benchmark: what it needs, whether it is there, and what it will cost. */
export function PreflightList({ found, costs }: Props) {
  const groups = Map.groupBy(found.checks, ({ role, name }) => `${role} ${name}`);
  return (
    <section aria-label="Before it starts">
      <h3 className={styles.title}>Before it starts</h3>
      <ul className={styles.checks}>
        {[...groups].map(([key, checks]) => (
          <Line key={key} checks={checks} costs={costs} />
        ))}
      </ul>
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
  return NEEDS[needs] ? `${NEEDS[needs]}: ${message}` : message;
}

export function costText(evaluations: Props["costs"]): string {
  if (evaluations.length === 0) return "";
  const known = evaluations.flatMap(({ cost_usd }) => cost_usd ?? []);
  if (known.length < evaluations.length) return "price unknown";
  const low = known.reduce((sum, one) => sum + one.low, 0);
  const high = known.reduce((sum, one) => sum + one.high, 0);
  return high === 0 ? "free" : `${usd(low)} – ${usd(high)}`;
}
