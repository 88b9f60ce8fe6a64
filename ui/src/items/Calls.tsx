import type { AttemptDetail, Schemas } from "../api/client";
import { count, milliseconds, usd } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import styles from "./Transcript.module.css";

type Call = Schemas["CallResult"];

const COLUMNS: readonly Column<Call>[] = [
  { name: "Role", isHeading: true, cell: ({ role }) => role },
  { name: "Answer", cell: (call) => call.error_code ?? call.finish_reason ?? call.status ?? "—" },
  { name: "Time", isNumber: true, cell: ({ duration_ms }) => milliseconds(duration_ms) },
  { name: "In", isNumber: true, cell: ({ input_tokens }) => tokens(input_tokens) },
  { name: "Out", isNumber: true, cell: ({ output_tokens }) => tokens(output_tokens) },
  { name: "Reasoning", isNumber: true, cell: ({ reasoning_tokens }) => tokens(reasoning_tokens) },
  { name: "Concurrency", isNumber: true, cell: ({ concurrency }) => tokens(concurrency) },
  { name: "Served by", isSoft: true, cell: ({ served_model }) => served_model ?? "—" },
  { name: "Message", isSoft: true, cell: ({ error_message }) => error_message ?? "" },
];
const WITHOUT_MESSAGE = COLUMNS.filter(({ name }) => name !== "Message");

/** Every exchange with an endpoint that the attempt took, retries included. */
export function Calls({ attempt }: { attempt: AttemptDetail }) {
  const { calls, cost_usd, tries, error } = attempt;
  if (calls.length === 0) return null;
  return (
    <details className={styles.fold} open={tries > 1 || undefined}>
      <summary>
        {calls.length} {calls.length === 1 ? "call" : "calls"}
        <span>{cost_usd === null ? "cost unknown" : usd(cost_usd)}</span>
      </summary>
      <DataTable
        caption="Calls"
        columns={
          calls.some(({ error_message }) => error_message && error_message !== error)
            ? COLUMNS
            : WITHOUT_MESSAGE
        }
        rows={calls}
        keyOf={(call) => `${call.started_at} ${call.role} ${calls.indexOf(call)}`}
      />
    </details>
  );
}

function tokens(value: number | null): string {
  return value === null ? "—" : count(value);
}
