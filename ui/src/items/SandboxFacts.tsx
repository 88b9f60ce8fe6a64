import type { Sandbox } from "./evidence";
import styles from "./Evidence.module.css";

/** How the attempt's code was confined; that nothing confined it is said in red. */
export function SandboxFacts({ sandbox }: { sandbox: Sandbox }) {
  const { backend, isolation, enforced, verified } = sandbox;
  if (isolation === "none") {
    return (
      <p className={styles.sandbox} data-unsafe="true">
        <strong>Unsafe: the code ran without a sandbox.</strong> It could reach this machine’s files and
        network, and change the verdict.
      </p>
    );
  }
  return (
    <div className={styles.sandbox} role="group" aria-label="Sandbox">
      <p>
        The code ran in <strong>{backend}</strong>, isolated by <strong>{isolation}</strong>
        {verified ? ", which was checked here" : ", as the service claims"}.
      </p>
      {enforced.length > 0 ? (
        <p>Limits enforced: {enforced.map((limit) => limit.replaceAll("_", " ")).join(", ")}.</p>
      ) : null}
    </div>
  );
}
