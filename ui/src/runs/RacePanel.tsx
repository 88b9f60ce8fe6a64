import { useQuery } from "@tanstack/react-query";
import type { RunDetail } from "../api/client";
import { isLive } from "../api/queries";
import { type Contest, raceQuery, type StopSettings } from "../api/race";
import { SequenceChart } from "../charts/SequenceChart";
import { Section } from "../ui/Page";
import styles from "./RacePanel.module.css";

const EVERY_MS = 4_000;

/** What a run with a stopping rule has settled, how soon, and what it saved. */
export function RacePanel({ run }: { run: RunDetail }) {
  const { data } = useQuery({
    ...raceQuery(run.id),
    enabled: run.stop !== null,
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

const QUESTIONS: Record<StopSettings["until"], string> = {
  decided: "asked until better, worse or equivalent is certain",
  equivalent: "asked until it is certain whether they are equivalent",
  better: "asked until it is certain which one is better",
};

/** The rule in words. */
export function ruleOf({ bar, until, margin, alpha }: StopSettings): string {
  const risk = `anything claimed is wrong in at most ${percentOf(alpha)} % of runs`;
  if (bar !== null)
    return `asked until each score is certain to be above or below ${percentOf(bar)} %; ${risk}`;
  const within =
    until === "better" ? "" : `, within ${percentOf(margin)} ${margin === 0.01 ? "point" : "points"}`;
  return `${QUESTIONS[until]}${within}; ${risk}`;
}

function percentOf(share: number): string {
  return String(Number((100 * share).toPrecision(4)));
}
