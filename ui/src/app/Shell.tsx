import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { statusQuery } from "../api/queries";
import { EmptyState } from "../ui/EmptyState";
import { Icon, type IconName } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import styles from "./Shell.module.css";
import { THEMES, type Theme, useTheme } from "./theme";

export function Shell() {
  const status = useQuery(statusQuery);
  return (
    <>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <header className={styles.header}>
        <div className={styles.inner}>
          <Link to="/" className={styles.brand} aria-label="Assay, all runs">
            <Hallmark />
            Assay
          </Link>
          <div className={styles.end}>
            {status.data ? <Activity running={status.data.running} queued={status.data.queued} /> : null}
            {status.data ? <span className={styles.version}>v{status.data.version}</span> : null}
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        {status.isError ? <Notice>The server does not answer. Trying again …</Notice> : null}
        {status.data?.maintenance_mode ? (
          <Notice tone="gold">{status.data.message || "Maintenance: no new runs for now."}</Notice>
        ) : null}
        <Outlet />
      </main>
    </>
  );
}

export function NotFound() {
  return (
    <EmptyState title="There is no such page">
      <p>
        <Link to="/" className={styles.link}>
          All runs
        </Link>
      </p>
    </EmptyState>
  );
}

function Activity({ running, queued }: { running: number; queued: number }) {
  if (running + queued === 0) return <span className={styles.activity}>idle</span>;
  return (
    <span className={styles.activity} data-live={running > 0}>
      {running} running{queued > 0 ? ` · ${queued} queued` : ""}
    </span>
  );
}

const THEME_ICONS: Record<Theme, IconName> = { system: "screen", light: "sun", dark: "moon" };

function ThemeSwitch() {
  const [theme, choose] = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  return (
    <button
      type="button"
      className={styles.theme}
      onClick={() => choose(next)}
      aria-label={`Theme: ${theme}. Switch to ${next}.`}
      title={`Theme: ${theme}`}
    >
      <Icon name={THEME_ICONS[theme]} />
    </button>
  );
}

function Hallmark() {
  return (
    <svg className={styles.hallmark} viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path className={styles.plate} d="M7.4 2h9.2L22 7.4v9.2L16.6 22H7.4L2 16.6V7.4Z" />
      <path className={styles.stamp} d="m7.6 12.4 3.1 3.1 5.9-6.5" />
    </svg>
  );
}
