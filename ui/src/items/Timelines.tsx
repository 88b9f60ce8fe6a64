import { useState } from "react";
import type { AttemptDetail, Schemas } from "../api/client";
import { StreamTimeline } from "../charts/StreamTimeline";
import { inputClass } from "../ui/Field";
import styles from "./Timelines.module.css";

type TimedCall = Schemas["CallResult"] & { timing: Schemas["Timing"] };

/** How the reply came in; of an attempt that took several calls, whichever is chosen. */
export function Timelines({ attempt }: { attempt: AttemptDetail }) {
  const timed = attempt.calls.filter((call): call is TimedCall => call.timing !== null);
  const answering = timed.findLastIndex(
    ({ role, timing }) => role === "model" && timing.duration_ms === attempt.timing?.duration_ms,
  );
  const [chosen, setChosen] = useState(Math.max(answering, 0));
  const call = timed[chosen];
  if (!call) return attempt.timing ? <StreamTimeline timing={attempt.timing} /> : null;
  return (
    <div className={styles.timelines}>
      {timed.length > 1 ? (
        <label className={styles.choice}>
          Timeline of
          <select
            className={inputClass}
            value={chosen}
            onChange={({ target }) => setChosen(Number(target.value))}
          >
            {timed.map(({ role, started_at }, place) => (
              <option key={`${started_at} ${role} ${timed.indexOf(timed[place] ?? call)}`} value={place}>
                call {place + 1}, to the {role}
                {place === answering ? " (the answer)" : ""}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <StreamTimeline key={chosen} timing={call.timing} arrivals={call.arrivals_ms} />
    </div>
  );
}
