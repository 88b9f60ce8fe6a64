import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { EvaluationDetail, RunDetail } from "../api/client";
import { labelsQuery } from "../api/labels";
import { count, percent } from "../format";
import { buttonClass } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Keys } from "../ui/Keys";
import { Menu, MenuLink } from "../ui/Menu";
import styles from "./ReviewBar.module.css";
import { isQueue, type ItemsSearch, narrowed } from "./search";

interface Props {
  run: RunDetail;
  evaluation: EvaluationDetail;
  search: ItemsSearch;
}

/** The ways to the answers that nobody has looked at, to pairs of answers, and to what came of it. */
export function ReviewTools({ run, evaluation, search }: Props) {
  const { data } = useQuery(labelsQuery(run.id));
  const isOn = isQueue(search);
  return (
    <>
      <Link
        from="/runs/$runId/items"
        search={(before) =>
          isOn
            ? narrowed(before, { label: undefined })
            : { ...narrowed(before, { label: ["none"], each: true }), at: 0 }
        }
        className={buttonClass({ tone: isOn ? "primary" : "quiet", isSmall: true })}
      >
        <Icon name={isOn ? "check" : "half"} size={14} />
        {isOn ? "Leave the queue" : "Review unannotated"}
      </Link>
      <Opponents run={run} evaluation={evaluation} />
      {data?.evaluations.some(({ annotations }) => annotations.length > 0) ? (
        <Menu label="Training lines" icon="download" tone="quiet">
          <MenuLink
            href={`/api/runs/${run.id}/training?form=chat`}
            download
            note="Golden and corrected answers"
          >
            Conversations
          </MenuLink>
          <MenuLink
            href={`/api/runs/${run.id}/training?form=preference`}
            download
            note="A better and a worse answer to the same prompt"
          >
            Preferences
          </MenuLink>
        </Menu>
      ) : null}
    </>
  );
}

/** What people have said of the answers so far, and the keys to say more. */
export function ReviewState({ run, evaluation, search }: Props) {
  const { data } = useQuery(labelsQuery(run.id));
  const own = data?.evaluations.find(({ evaluation_id }) => evaluation_id === evaluation.id);
  const isOn = isQueue(search);
  const annotated = new Set(own?.annotations.map(({ item_id, sample }) => `${sample}:${item_id}`)).size;
  if (!isOn && annotated === 0) return null;
  const { agreement } = own ?? {};
  return (
    <div className={styles.bar}>
      {isOn ? (
        <p className={styles.hint}>
          <Keys>1</Keys> golden <Keys>2</Keys> needs a fix <Keys>3</Keys> wrong <Keys>j</Keys> skip
        </p>
      ) : null}
      <p className={styles.state} role="status" aria-label="Review">
        {count(annotated)} annotated
        {agreement
          ? ` · the grader agrees on ${percent(agreement.observed)} of ${count(agreement.n)}${kappa(agreement.kappa)}`
          : ""}
      </p>
    </div>
  );
}

/** Votes on pairs of answers, without the names of the models. */
function Opponents({ run, evaluation: { model, benchmark } }: Pick<Props, "run" | "evaluation">) {
  const others = run.evaluations.filter((one) => one.benchmark === benchmark && one.model !== model);
  return (
    <Menu label="A/B preference" icon="compare" tone="quiet">
      {others.map((other) => (
        <MenuLink
          key={other.id}
          href={arenaOf(benchmark, [model, other.model])}
          note="Which answer is better?"
        >
          Against {other.model}
        </MenuLink>
      ))}
      <MenuLink href={arenaOf(benchmark, [model])} note="Answers of other runs to the same items">
        Against any other model
      </MenuLink>
    </Menu>
  );
}

function arenaOf(benchmark: string, models: readonly string[]): string {
  const search = new URLSearchParams([["benchmark", benchmark], ...models.map((model) => ["model", model])]);
  return `/ui/arena?${search}`;
}

function kappa(value: number | null): string {
  return value === null ? "" : `, kappa ${value.toFixed(2)}`;
}
