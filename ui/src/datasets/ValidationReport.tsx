import type { Validation } from "../api/files";
import { count } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { Section } from "../ui/Page";
import { type FaultGroup, grouped, linesText } from "./faults";

type Fault = Validation["errors"][number];
type Preview = Validation["preview"][number];

const FAULTS: readonly Column<FaultGroup>[] = [
  { name: "Lines", cell: ({ lines }) => linesText(lines) },
  { name: "Count", isNumber: true, cell: ({ lines }) => count(lines.length) },
  { name: "Field", cell: ({ field }) => <code>{field || "—"}</code> },
  { name: "Message", isHeading: true, cell: ({ reason }) => reason },
];

const PREVIEWS: readonly Column<Preview>[] = [
  { name: "Id", isHeading: true, cell: ({ custom_id }) => custom_id },
  { name: "Prompt", cell: ({ prompt_preview }) => prompt_preview },
  { name: "Model", isSoft: true, cell: ({ model }) => model ?? "—" },
];

/** What was found on reading every line of a file. */
export function ValidationReport({ validation }: { validation: Validation }) {
  const { errors, error_count, warnings, warning_count, preview } = validation;
  return (
    <>
      {error_count > 0 ? <Faults title="Errors" faults={errors} total={error_count} /> : null}
      {warning_count > 0 ? <Faults title="Warnings" faults={warnings} total={warning_count} /> : null}
      {preview.length > 0 ? (
        <Section title="First lines">
          <DataTable
            caption="First lines"
            columns={PREVIEWS}
            rows={preview}
            keyOf={({ custom_id }) => custom_id}
          />
        </Section>
      ) : null}
    </>
  );
}

/** What is wrong, or only odd; the same message of many lines stands once. */
export function Faults({ title, faults, total }: { title: string; faults: readonly Fault[]; total: number }) {
  return (
    <Section
      title={title}
      note={total > faults.length ? `the first ${count(faults.length)} of ${count(total)}` : count(total)}
    >
      <DataTable
        caption={title}
        columns={FAULTS}
        rows={grouped(faults)}
        keyOf={({ field, reason }) => `${field} ${reason}`}
      />
    </Section>
  );
}
