import { useQuery } from "@tanstack/react-query";
import type { RunDetail } from "../api/client";
import { isLive } from "../api/queries";
import { type Contest, raceQuery, type StopSettings } from "../api/race";
import { SequenceChart } from "../charts/SequenceChart";
import { Section } from "../ui/Page";
import styles from "./RacePanel.module.css";
import { ruleOf } from "./stopRule";

const EVERY_MS = 4_000;

/** What a run with a stopping rule has settled, how soon, and what it saved. */
export default function RacePanel({ run }: { run: RunDetail }) {
  const { data } = useQuery({
    ...raceQuery(run.id),
    refetchInterval: isLive(run.status) ? EVERY_MS : false,
  });
  if (!data) return null;
  return (
    <Section title="Decided sooner" note={ruleOf(data.stop)}>
      {data.contests.map((contest) => (
        <ContestView
          key={`${contest.benchmark} ${contest.ours} ${contest.theirs ?? ""}`}
          contest={contest}
          stop={data.stop}
        />
      ))}
      <p className={styles.saving}>{data.saving.sentence}</p>
    </Section>
  );
}

function ContestView({ contest, stop }: { contest: Contest; stop: StopSettings }) {
  const { ours, theirs, benchmark, sequence, items, decided_after } = contest;
  return (
    <div className={styles.contest}>
      <p>{contest.sentence}</p>
      <SequenceChart
        title={theirs === null ? `Score of ${ours} on ${benchmark}` : `${ours} − ${theirs} on ${benchmark}`}
        note={theirs === null ? "percent" : "points"}
        points={sequence}
        items={items}
        decidedAfter={decided_after}
        mark={stop.bar ?? 0}
        margin={stop.bar === null && stop.until !== "better" ? stop.margin : null}
        least={theirs === null ? 0 : -1}
      />
    </div>
  );
}
