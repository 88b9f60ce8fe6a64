import { useIsFetching, useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { Account, SignInNotice } from "../account/Account";
import { useConnection } from "../api/events";
import { statusQuery } from "../api/queries";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Toasts } from "../ui/Toasts";
import { Hallmark } from "./Hallmark";
import { Navigation } from "./Navigation";
import { Overlays, useOverlays } from "./Overlays";
import styles from "./Shell.module.css";
import { ThemeSwitch } from "./ThemeSwitch";

const SignInFailure = lazy(() => import("../account/SignInFailure"));

export function Shell() {
  const [hasFailed] = useState(() => new URLSearchParams(window.location.search).has("sign_in"));
  const status = useQuery(statusQuery);
  const isLoading = useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0;
  const overlays = useOverlays();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <header className={styles.side}>
        <div className={styles.top}>
          <Button
            tone="quiet"
            icon="menu"
            aria-label="Menu"
            aria-haspopup="dialog"
            onClick={() => overlays.show("menu")}
          />
          <Link to="/" className={styles.brand} aria-label="Assay, all runs">
            <Hallmark />
            Assay
          </Link>
          <Link to="/runs/new" className={styles.start} aria-label="New run">
            <Icon name="plus" />
          </Link>
        </div>
        <button type="button" className={styles.find} onClick={() => overlays.show("palette")}>
          <Icon name="search" />
          <span>Go to …</span>
          <kbd>{navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl "}K</kbd>
        </button>
        <div className={styles.nav}>
          <Navigation />
        </div>
        <div className={styles.foot}>
          <Activity />
          <Account />
          <div className={styles.tools}>
            {status.data ? <span className={styles.version}>v{status.data.version}</span> : null}
            <Button
              tone="quiet"
              isSmall
              icon="keyboard"
              aria-label="Keyboard shortcuts"
              title="Keyboard shortcuts (?)"
              onClick={() => overlays.show("keys")}
            />
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main id="content" className={styles.main} tabIndex={-1} aria-busy={isLoading}>
        <ConnectionNotice isUnreachable={status.isError} />
        {hasFailed ? (
          <Suspense>
            <SignInFailure />
          </Suspense>
        ) : null}
        <SignInNotice />
        {status.data?.maintenance_mode ? (
          <Notice tone="gold">{status.data.message || "Maintenance: no new runs for now."}</Notice>
        ) : null}
        <Outlet />
      </main>
      <Overlays shown={overlays} />
      <Toasts />
    </div>
  );
}

function ConnectionNotice({ isUnreachable }: { isUnreachable: boolean }) {
  const connection = useConnection();
  if (isUnreachable) return <Notice>The server does not answer. Trying again …</Notice>;
  if (connection !== "lost") return null;
  return (
    <Notice tone="gold">
      Live updates are interrupted. Reconnecting; until then this page refreshes every 5 s.
    </Notice>
  );
}

function Activity() {
  const { data } = useQuery(statusQuery);
  const connection = useConnection();
  if (!data) return <span className={styles.activity}>connecting …</span>;
  const busy = [
    data.running > 0 ? `${data.running} running` : "",
    data.queued > 0 ? `${data.queued} queued` : "",
    data.paused > 0 ? `${data.paused} paused` : "",
  ].filter(Boolean);
  return (
    <Link
      to="/system"
      className={styles.activity}
      data-state={connection === "lost" ? "lost" : data.running > 0 ? "busy" : "idle"}
      title={connection === "live" ? "Updated live" : "Reconnecting"}
    >
      {busy.join(" · ") || "idle"}
    </Link>
  );
}

export function NotFound() {
  return (
    <EmptyState isPage title="Page not found">
      <p>
        <Link to="/" className={styles.link}>
          All runs
        </Link>
      </p>
    </EmptyState>
  );
}
