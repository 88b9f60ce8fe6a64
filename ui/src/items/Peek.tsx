import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import type { EvaluationDetail, RunDetail } from "../api/client";
import { itemQuery } from "../api/queries";
import { useReveal } from "../api/reveal";
import { count } from "../format";
import { Button, buttonClass } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { useShortcut } from "../ui/shortcuts";
import { useFoundMarks } from "../ui/useFoundMarks";
import { Attempts } from "./Attempts";
import { isRefused, Masked } from "./Masked";
import styles from "./Peek.module.css";

interface Props {
  run: RunDetail;
  evaluation: EvaluationDetail;
  itemId: string;
  sample: number;
  /** Its place in the list; unknown where a link led here. */
  at: number | undefined;
  total: number | undefined;
  hasMore: boolean;
  /** What was searched for, to be marked. */
  part: string | undefined;
  onMove: (at: number) => void;
  onClose: () => void;
  onAnnotated: () => Promise<void>;
}

/** One item beside the list, which stays usable: `j` and `k` move on, Escape closes. */
export default function Peek(props: Props) {
  const { run, evaluation, itemId, sample, at, total, hasMore, part, onMove, onClose, onAnnotated } = props;
  const body = useRef<HTMLDivElement>(null);
  useFoundMarks(body, part);
  const { model, benchmark } = evaluation;
  const [reveal] = useReveal(run.id);
  const item = useQuery(itemQuery(run.id, { benchmark, model, itemId, reveal }));
  const page = useRef<HTMLAnchorElement>(null);
  useShortcut("Escape", onClose);
  useShortcut("o", () => page.current?.click());
  const last = (total ?? 0) - 1;

  return (
    <aside className={styles.peek} aria-label={`Item ${itemId}`}>
      <header className={styles.head}>
        <div className={styles.title}>
          <h2 title={itemId}>{itemId}</h2>
          {at === undefined || total === undefined ? null : (
            <span>
              {count(at + 1)} of {hasMore ? "more than " : ""}
              {count(total)}
            </span>
          )}
        </div>
        <div className={styles.buttons}>
          <Button
            tone="quiet"
            isSmall
            icon="up"
            aria-label="Previous item"
            title="Previous item (k)"
            disabled={at === undefined || at <= 0}
            onClick={() => at !== undefined && onMove(at - 1)}
          />
          <Button
            tone="quiet"
            isSmall
            icon="down"
            aria-label="Next item"
            title="Next item (j)"
            disabled={at === undefined || at >= last}
            onClick={() => at !== undefined && onMove(at + 1)}
          />
          <Link
            ref={page}
            to="/runs/$runId/items/$itemId"
            params={{ runId: run.id, itemId }}
            search={{ benchmark, model }}
            className={buttonClass({ tone: "quiet", isSmall: true })}
            aria-label="Open on its own page"
            title="Open on its own page (o)"
          >
            <Icon name="external" />
          </Link>
          <Button
            tone="quiet"
            isSmall
            icon="cross"
            aria-label="Close"
            title="Close (Esc)"
            onClick={onClose}
          />
        </div>
      </header>
      <div ref={body} className={styles.body}>
        <Masked runId={run.id} isMasked={item.data?.is_masked ?? false} error={item.error} />
        {item.error && !isRefused(item.error) ? <Notice>{item.error.message}</Notice> : null}
        {item.data ? <Attempts item={item.data} first={sample} onAnnotated={onAnnotated} /> : null}
      </div>
    </aside>
  );
}
