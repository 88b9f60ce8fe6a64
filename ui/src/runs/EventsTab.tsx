import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { RunEvent } from "../api/client";
import { runQuery } from "../api/queries";
import { useRunEvents } from "../api/runEvents";
import { moment, percent } from "../format";
import { EmptyState } from "../ui/EmptyState";
import { Icon, type IconName } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import styles from "./EventsTab.module.css";

const route = getRouteApi("/runs/$runId");

const LOOKS: Record<RunEvent["event_type"], { label: string; icon: IconName; tone?: "good" | "bad" }> = {
  run_created: { label: "Run created", icon: "plus" },
  run_started: { label: "Run started", icon: "play" },
  run_resumed: { label: "Run resumed", icon: "play" },
  run_paused: { label: "Run paused", icon: "pause" },
  run_requeued: { label: "Run queued again", icon: "retry" },
  run_completed: { label: "Run completed", icon: "check", tone: "good" },
  run_failed: { label: "Run failed", icon: "cross", tone: "bad" },
  run_canceled: { label: "Run canceled", icon: "blocked" },
  benchmark_started: { label: "Started", icon: "play" },
  benchmark_resumed: { label: "Resumed", icon: "play" },
  benchmark_progress: { label: "Progress", icon: "pulse" },
  benchmark_completed: { label: "Completed", icon: "check", tone: "good" },
  model_warmed_up: { label: "Warmed up", icon: "bolt" },
  benchmark_failed: { label: "Failed", icon: "cross", tone: "bad" },
};

/** What happened to the run, newest first; of each stretch of progress only the last word. */
export function EventsTab() {
  const { runId } = route.useParams();
  const { data: run } = useQuery(runQuery(runId));
  const { events, isComplete } = useRunEvents(runId);
  const shown = withoutOldProgress(events).toReversed();
  if (isComplete && shown.length === 0) {
    return (
      <EmptyState title="No events are stored for this run">
        <p>Runs that were not executed by the service have none.</p>
      </EmptyState>
    );
  }
  return (
    <ol className={styles.events} aria-label="Events" aria-busy={!isComplete && run?.status === "running"}>
      {shown.map((event) => (
        <li key={event.id} data-tone={LOOKS[event.event_type]?.tone}>
          <Icon name={LOOKS[event.event_type]?.icon ?? "question"} />
          <div>
            <strong>{LOOKS[event.event_type]?.label ?? event.event_type}</strong>{" "}
            {event.model ? (
              <>
                <ModelName model={event.model} />
                {event.benchmark_name ? ` on ${event.benchmark_name}` : null}
              </>
            ) : null}
            {event.message ? <p>{event.message}</p> : null}
            {typeof event.data["current_accuracy"] === "number" ? (
              <p>{percent(event.data["current_accuracy"])} correct so far</p>
            ) : null}
          </div>
          <time dateTime={event.created_at}>{moment(event.created_at)}</time>
        </li>
      ))}
    </ol>
  );
}

function withoutOldProgress(events: readonly RunEvent[]): RunEvent[] {
  const last = new Map<string, RunEvent>();
  for (const event of events) {
    const isProgress = event.event_type === "benchmark_progress";
    last.set(isProgress ? `${event.model} ${event.benchmark_name}` : event.id, event);
  }
  const kept = new Set(last.values());
  return events.filter((event) => kept.has(event));
}
