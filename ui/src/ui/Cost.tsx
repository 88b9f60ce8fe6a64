import type { State } from "../api/client";
import { isLive } from "../api/queries";
import { usd } from "../format";

/** A cost is known at the end; until then there is nothing to say about it. */
export function Cost({ amount, state }: { amount: number | null; state: State }) {
  return amount === null && isLive(state) ? "—" : usd(amount);
}
