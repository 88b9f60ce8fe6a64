import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { accountQuery } from "../account/account";
import type { RunDetail } from "../api/client";
import { short } from "../format";
import { benchmarksTitle } from "../live/tabTitle";
import { DataBadge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { StatusMark } from "../ui/StatusMark";
import { RunControls } from "./RunControls";
import styles from "./RunHeader.module.css";

// Where everybody is the same user there is nothing to choose.
const RunVisibility = lazy(() => import("./RunVisibility"));
const MOST_CHIPS = 6;

/** What the run is, where it stands and what can be done with it, in one line. */
export function RunHeader({ run }: { run: RunDetail }) {
  const { models, selected_benchmarks: benchmarks, name, tags } = run;
  const [only = ""] = models;
  const { data: account } = useQuery(accountQuery);
  const hasUsers = account && (account.needs_identity || account.idp_configured || account.authenticated);
  return (
    <header className={styles.header}>
      <div className={styles.line}>
        <div className={styles.title}>
          <Link to="/" className={styles.back} aria-label="Back to all runs" title="All runs">
            <Icon name="back" />
          </Link>
          <h1 title={benchmarks.join(", ")}>
            {models.length === 1 ? <ModelName model={only} /> : `${models.length} models`}{" "}
            <span className={styles.on}>on {benchmarksTitle(benchmarks)}</span>
          </h1>
        </div>
        {models.length > 1 ? (
          <ul className={styles.chips} aria-label="Models">
            {models.slice(0, MOST_CHIPS).map((model) => (
              <Chip key={model} model={model} />
            ))}
            {models.length > MOST_CHIPS ? <li>+{models.length - MOST_CHIPS}</li> : null}
          </ul>
        ) : null}
        <div className={styles.state}>
          <StatusMark state={run.status} isInterrupted={run.is_interrupted} />
          <DataBadge source={run.data} />
          <code>{short(run.id)}</code>
          {hasUsers || run.visibility !== "team" ? (
            <Suspense>
              <RunVisibility run={run} />
            </Suspense>
          ) : null}
        </div>
        <RunControls run={run} />
      </div>
      {name || tags.length > 0 ? (
        <p className={styles.names}>
          {[name, tags.map((tag) => `#${tag}`).join(" ")].filter(Boolean).join(" · ")}
        </p>
      ) : null}
    </header>
  );
}

const END = 8;

/** A long name loses its middle: both of its ends tell models apart. */
function Chip({ model }: { model: string }) {
  const name = model.slice(model.indexOf("/") + 1);
  return (
    <li title={model}>
      <span className="visually-hidden">{model}</span>
      <span aria-hidden="true" className={styles.start}>
        {name.slice(0, -END)}
      </span>
      <span aria-hidden="true">{name.slice(-END)}</span>
    </li>
  );
}
