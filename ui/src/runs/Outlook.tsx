import type { RunOutlook } from "../api/client";
import { count, rate, secondsRange } from "../format";

/** How fast a live run goes and when it may end, or where it stands in the queue. */
export function Outlook({ outlook, className }: { outlook: RunOutlook; className: string | undefined }) {
  const parts = outlookParts(outlook);
  if (parts.length === 0) return null;
  return (
    <span className={className} title="From measured rates">
      {parts.join(" · ")}
    </span>
  );
}

export function outlookParts(outlook: RunOutlook): string[] {
  const { queue_position, start_in_s, finish_in_s, attempts_per_s } = outlook;
  const parts: string[] = [];
  if (queue_position !== null) parts.push(`number ${count(queue_position)} in the queue`);
  if (attempts_per_s !== null) parts.push(rate(attempts_per_s));
  if (start_in_s !== null && queue_position !== null) parts.push(`starts in ${secondsRange(start_in_s)}`);
  else if (finish_in_s !== null) parts.push(`${secondsRange(finish_in_s)} left`);
  return parts;
}
