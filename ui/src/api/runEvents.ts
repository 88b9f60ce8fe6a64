import { useEffect, useState } from "react";
import type { RunEvent } from "./client";

interface RunEvents {
  events: readonly RunEvent[];
  /** Whether the run is over and every event of it is here. */
  isComplete: boolean;
}

const GATHER_MS = 100;

/** The whole history of a run, and what is added to it. A stream of its own, open only while it is looked at. */
export function useRunEvents(runId: string): RunEvents {
  const [found, setFound] = useState<RunEvents>({ events: [], isComplete: false });

  useEffect(() => {
    const events: RunEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const source = new EventSource(`/api/runs/${encodeURIComponent(runId)}/events`);
    const show = (isComplete: boolean) => setFound({ events: [...events], isComplete });
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      events.push(JSON.parse(data));
      timer ??= setTimeout(() => {
        timer = undefined;
        show(false);
      }, GATHER_MS);
    });
    source.addEventListener("done", () => {
      source.close();
      clearTimeout(timer);
      show(true);
    });
    return () => {
      source.close();
      clearTimeout(timer);
    };
  }, [runId]);

  return found;
}
