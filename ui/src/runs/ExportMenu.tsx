import type { RunDetail } from "../api/client";
import { isLive } from "../api/queries";
import { Menu, MenuLink } from "../ui/Menu";

const FORMATS = [
  { format: "zip", label: "Signed bundle", note: "ZIP that anyone can verify offline" },
  { format: "pdf", label: "Report", note: "PDF with charts" },
  { format: "html", label: "Web page", note: "one HTML file with pictures and items" },
  { format: "markdown", label: "Markdown", note: "for a pull request" },
  { format: "csv", label: "CSV", note: "one line per attempt" },
  { format: "jsonl", label: "JSONL", note: "everything about each attempt" },
  { format: "openai-batch", label: "OpenAI batch output", note: "JSONL" },
  { format: "evaleval", label: "Every Eval Ever", note: "EvalEval schema, ZIP" },
  { format: "inspect", label: "Inspect logs", note: ".eval files, ZIP" },
  { format: "lm-eval", label: "lm-eval results", note: "JSON, ZIP" },
] as const;

/** Downloads of a run; a live run has no final export yet, but what it asks is known. */
export function ExportMenu({ run }: { run: RunDetail }) {
  const formats = isLive(run.status) ? [] : FORMATS;
  return (
    <Menu label="Export" icon="download">
      {formats.map(({ format, label, note }) => (
        <MenuLink key={format} href={`/api/runs/${run.id}/export?format=${format}`} note={note} download>
          {label}
        </MenuLink>
      ))}
      <MenuLink href={`/api/runs/${run.id}/suite`} note="TOML to run the same again" download>
        Suite
      </MenuLink>
    </Menu>
  );
}
