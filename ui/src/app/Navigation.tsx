import { Link } from "@tanstack/react-router";
import { buttonClass } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { DESTINATIONS } from "./destinations";
import styles from "./Navigation.module.css";

/** The main navigation, in the sidebar or in the drawer. */
export function Navigation({ onGo }: { onGo?: () => void }) {
  return (
    <nav className={styles.nav} aria-label="Main">
      <Link to="/runs/new" className={buttonClass({ tone: "primary" })} onClick={onGo}>
        <Icon name="plus" />
        New run
      </Link>
      {DESTINATIONS.map((group) => (
        <ul key={group[0]?.to} className={styles.group}>
          {group.map(({ to, label, icon }) => (
            <li key={to}>
              <Link
                to={to}
                className={styles.link}
                activeOptions={{ exact: to === "/", includeSearch: false }}
                activeProps={{ "aria-current": "page" }}
                onClick={onGo}
              >
                <Icon name={icon} />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}
