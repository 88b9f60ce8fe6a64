import { useQuery } from "@tanstack/react-query";
import type { RunDetail } from "../api/client";
import { overviewQuery, statusQuery } from "../api/queries";
import { callLimit, callsInFlight, NO_TRAFFIC, sum, trafficQuery } from "../api/traffic";
import { count, rate, secondsRange, shortCount, usd } from "../format";
import { ProgressBar } from "../ui/ProgressBar";
import styles from "./LiveStrip.module.css";
import { delayOf } from "./sentence";
import { soFar } from "./soFar";
import { Sparkline } from "./Sparkline";

/** How far a run under way is, how fast it goes, what it has used, and what keeps it. */
export default function LiveStrip({ run }: { run: RunDetail }) {
  const { data: overview } = useQuery(overviewQuery);
  const { data: status } = useQuery(statusQuery);
  const { data: traffic = NO_TRAFFIC } = useQuery(trafficQuery(run.id));
  const isMaintained = status?.maintenance_mode ?? false;
  const delay = delayOf({ run, overview, isMaintained, traffic });
  const calls = Object.values(traffic.evaluations);
  const last = traffic.samples.at(-1);
  const used = soFar(run.evaluations, traffic);
  const left = run.finish_in_s ? `${secondsRange(run.finish_in_s)} left` : undefined;
  return (
    <section className={styles.live} aria-label="Progress">
      <ProgressBar {...run.progress} label="Progress of the run" />
      <p className={styles.sentence} data-delayed={delay !== undefined}>
        {delay ?? ["Nothing slows it down", left].filter(Boolean).join(": ")}
      </p>
      {run.status === "queued" ? null : (
        <dl className={styles.figures}>
          <Figure name="Attempts" value={last && last.perSecond > 0 ? rate(last.perSecond) : "—"}>
            <Sparkline points={traffic.samples.map(({ at, perSecond }) => ({ at, value: perSecond }))} />
          </Figure>
          <Figure
            name="Calls in flight"
            value={
              calls.length > 0 ? `${count(callsInFlight(calls))} of ${count(callLimit(calls))} allowed` : "—"
            }
          >
            <Sparkline points={traffic.samples.map(({ at, inFlight }) => ({ at, value: inFlight }))} />
          </Figure>
          <Figure name="Failed calls" value={count(sum(calls.map(({ retries }) => retries)))}>
            <Sparkline points={traffic.samples.map(({ at, failed }) => ({ at, value: failed }))} />
          </Figure>
          <Figure name="Tokens so far" value={`${shortCount(used.inputTokens)} in`}>
            {shortCount(used.outputTokens)} out
          </Figure>
          <Figure
            name="Cost so far"
            value={used.isCostPartial ? `≥\u{a0}${usd(used.costUsd)}` : usd(used.costUsd)}
          >
            {left && delay !== undefined ? left : null}
          </Figure>
        </dl>
      )}
    </section>
  );
}

function Figure({ name, value, children }: { name: string; value: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {children}
      </dd>
    </div>
  );
}
