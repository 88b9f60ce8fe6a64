import { useQuery } from "@tanstack/react-query";
import { type SandboxBackend, sandboxQuery } from "../api/ops";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Section } from "../ui/Page";
import { Age } from "../ui/Time";
import styles from "./SandboxHealth.module.css";

/** Each way to confine the code of models: whether it works on the server, and what to do where it does not. */
export function SandboxHealth() {
  const { data, error, isPending } = useQuery(sandboxQuery);
  return (
    <Section
      title="Sandbox"
      note={
        data ? (
          <>
            where code of models runs · isolation of {data.min_isolation} or stronger · tried{" "}
            <Age of={data.checked_at} />
          </>
        ) : undefined
      }
    >
      {isPending ? <p role="status">Testing each sandbox …</p> : null}
      {error && !data ? <Notice tone="gold">{error.message}</Notice> : null}
      {data && data.selected === null ? (
        <Notice tone="gold">
          Benchmarks that run code cannot be run here: {data.reason || "no backend is usable."}
        </Notice>
      ) : null}
      {data ? (
        <ul className={styles.backends}>
          {data.backends.map((one) => (
            <Backend key={one.name} backend={one} />
          ))}
        </ul>
      ) : null}
    </Section>
  );
}

function Backend({ backend }: { backend: SandboxBackend }) {
  const { name, available, isolation, limits, reason, fix, selected, verified } = backend;
  const isUnsafe = isolation === "none";
  return (
    <li className={styles.backend} data-available={available} data-selected={selected}>
      <h3>
        <Icon name={available ? "check" : "cross"} />
        {name}
        <span className="visually-hidden">{available ? "works" : "cannot be used"}</span>
        {selected ? <Badge tone={isUnsafe ? "bad" : "good"}>in use</Badge> : null}
        {available ? <Badge tone={isUnsafe ? "bad" : "plain"}>{isolation}</Badge> : null}
        {available && !verified ? (
          <Badge tone="gold" title="The isolation is claimed by a remote service">
            not verified
          </Badge>
        ) : null}
      </h3>
      {available && limits.length > 0 ? <p>Enforces {limits.join(", ").replaceAll("_", " ")}.</p> : null}
      {reason ? <p>{reason}</p> : null}
      {fix ? <p className={styles.fix}>{fix}</p> : null}
    </li>
  );
}
