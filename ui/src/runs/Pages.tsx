import { Link } from "@tanstack/react-router";
import { count } from "../format";
import { Icon } from "../ui/Icon";
import styles from "./RunsPage.module.css";
import type { RunsSearch } from "./search";

export function Pages({ search, total, size }: { search: RunsSearch; total: number; size: number }) {
  const page = search.page ?? 1;
  const first = (page - 1) * size + 1;
  const last = Math.min(page * size, total);
  return (
    <nav className={styles.pages} aria-label="Pages">
      <Link to="/" search={{ ...search, page: page - 1 }} disabled={page === 1} className={styles.page}>
        <Icon name="back" /> {search.sort ? "Previous" : "Newer"}
      </Link>
      <span>
        {count(first)} – {count(last)} of {count(total)}
      </span>
      <Link to="/" search={{ ...search, page: page + 1 }} disabled={last === total} className={styles.page}>
        {search.sort ? "Next" : "Older"} <Icon name="forward" />
      </Link>
    </nav>
  );
}
