import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { count, short } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { ModelName } from "../ui/ModelName";
import { Section } from "../ui/Page";
import { StatusMark } from "../ui/StatusMark";
import styles from "./Ranking.module.css";

type Evaluation = Schemas["UnrankedEvaluation"];

const COLUMNS: readonly Column<Evaluation>[] = [
  { name: "Model", isHeading: true, cell: ({ model }) => <ModelName model={model} /> },
  { name: "Status", cell: ({ status }) => <StatusMark state={status} /> },
  { name: "Why it is not ranked", isSoft: true, cell: ({ reason }) => reason },
  {
    name: "Run",
    cell: ({ run_id }) => (
      <Link to="/runs/$runId" params={{ runId: run_id }} className={styles.link}>
        {short(run_id)}
      </Link>
    ),
  },
];

/** What has no place in any table, and why. */
export function Unranked({ evaluations, total }: { evaluations: readonly Evaluation[]; total: number }) {
  if (total === 0) return null;
  return (
    <Section
      title="Not ranked"
      note={total > evaluations.length ? `the newest ${evaluations.length} of ${count(total)}` : count(total)}
    >
      <DataTable
        caption="Evaluations that are not ranked"
        columns={COLUMNS}
        rows={evaluations}
        keyOf={({ evaluation_id }) => evaluation_id}
      />
    </Section>
  );
}
