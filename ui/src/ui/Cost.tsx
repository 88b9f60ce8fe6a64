import type { Run, RunDetail, State } from "../api/client";
import { isLive } from "../api/queries";
import { usd } from "../format";

/** A cost is known at the end; until then there is nothing to say about it. */
export function Cost({ amount, state }: { amount: number | null; state: State }) {
  return amount === null && isLive(state) ? "—" : usd(amount);
}

/** The cost of a run, or the least it can have been: the sum of the parts that are known. */
export function RunCost({ run }: { run: Run | RunDetail }) {
  const known = run.evaluations.flatMap(({ cost_usd }) => cost_usd ?? []);
  if (run.cost_usd !== null || known.length === 0) return <Cost amount={run.cost_usd} state={run.status} />;
  const least = known.reduce((sum, one) => sum + one, 0);
  const parts = `${known.length} of ${run.evaluations.length} evaluations`;
  return <span title={`The cost of ${parts}; that of the others is unknown`}>≥&nbsp;{usd(least)}</span>;
}
