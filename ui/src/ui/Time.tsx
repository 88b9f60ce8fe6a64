import { age, duration, moment } from "../format";
import { useNow } from "./now";

export function Age({ of }: { of: string }) {
  return (
    <time dateTime={of} title={moment(of)}>
      {age(of, useNow())}
    </time>
  );
}

/** From start to end, or to this moment where the end is not there yet. */
export function Elapsed({ from, to }: { from: string | null; to: string | null }) {
  const now = useNow();
  if (from === null) return "—";
  const end = to === null ? now : Date.parse(to);
  return duration(Math.max(0, end - Date.parse(from)));
}
