import styles from "./Confinement.module.css";

interface Confined {
  backend: string;
  isolation: string;
  enforced: string[];
  verified: boolean;
}

/** How the attempt's code was confined; that nothing confined it is said in red. */
export function Confinement({ details }: { details: Record<string, unknown> }) {
  const found = details.sandbox;
  if (!isConfined(found)) return null;
  if (found.isolation === "none") {
    return <p className={styles.unsafe}>Unsafe: the code ran with nothing around it.</p>;
  }
  const claim = found.verified ? "" : ", as the service claims";
  return (
    <p className={styles.confined} title={`Enforced: ${found.enforced.join(", ")}`}>
      Code ran in {found.backend}, isolation {found.isolation}
      {claim}.
    </p>
  );
}

function isConfined(value: unknown): value is Confined {
  return typeof value === "object" && value !== null && "isolation" in value && "backend" in value;
}
