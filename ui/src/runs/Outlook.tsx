import type { RunOutlook } from "../api/client";
import { count, rate, secondsRange } from "../format";

/** How fast a live run goes and when it may end, or where it stands in the queue. */
export function outlookParts(outlook: RunOutlook): string[] {
  const { queue_position, start_in_s, finish_in_s, attempts_per_s } = outlook;
  if (queue_position !== null) {
    const place = queue_position === 1 ? "next in the queue" : `number ${count(queue_position)} in the queue`;
    return start_in_s === null ? [place] : [place, `starts in ${secondsRange(start_in_s)}`];
  }
  const parts: string[] = [];
  if (attempts_per_s !== null) parts.push(rate(attempts_per_s));
  if (finish_in_s !== null) parts.push(`${secondsRange(finish_in_s)} left`);
  return parts;
}
