import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type UploadedDataset, UploadError, useUpload } from "../api/files";
import { count, percent } from "../format";
import { buttonClass } from "../ui/Button";
import { DropZone } from "../ui/DropZone";
import { Field, inputClass } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import styles from "./Uploader.module.css";
import { ValidationReport } from "./ValidationReport";

const GRADERS = [
  { value: "", label: "Exact match" },
  { value: "choice", label: "Choice letter" },
  { value: "number", label: "Number" },
  { value: "contains", label: "Contains" },
  { value: "regex", label: "Regular expression" },
  { value: "json_schema", label: "JSON schema" },
  { value: "json", label: "Equal JSON" },
  { value: "f1", label: "Word F1" },
  { value: "rouge_l", label: "ROUGE-L" },
  { value: "bleu", label: "BLEU" },
  { value: "code_tests", label: "Tests of code" },
  { value: "judge", label: "A judging model" },
] as const;

const EXAMPLE =
  '{"custom_id": "q1", "body": {"messages": [{"role": "user", "content": "2 + 2?"}]}, "expected": "4"}';

/** Drop a file; every line of it is read before anything is stored. */
export function Uploader() {
  const [name, setName] = useState("");
  const [grader, setGrader] = useState("");
  const [sent, setSent] = useState(0);
  const upload = useUpload();
  const failure = upload.error instanceof UploadError ? upload.error.validation : undefined;
  return (
    <div className={styles.uploader}>
      <div className={styles.options}>
        <Field
          label="Name"
          hint="By default derived from the file name. An existing name gets a new version."
        >
          {(wiring) => (
            <input
              {...wiring}
              className={inputClass}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label="Graded by" hint="For lines with an expected answer that name no grader.">
          {(wiring) => (
            <select
              {...wiring}
              className={inputClass}
              value={grader}
              onChange={({ target }) => setGrader(target.value)}
            >
              {GRADERS.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <DropZone
        label="A data set as JSONL"
        accept=".jsonl,.json,.ndjson,.csv,application/jsonl,text/csv"
        isBusy={upload.isPending}
        onFile={(file) => {
          setSent(0);
          upload.mutate({ file, name: name.trim(), grader, onSent: setSent });
        }}
      >
        {upload.isPending ? (
          <p>
            {sent < 1 ? `Sending ${upload.variables.file.name}: ${percent(sent)}` : "Reading every line …"}
          </p>
        ) : (
          <>
            <p>
              <strong>Drop a JSONL file here.</strong> A line is a request:
            </p>
            <code className={styles.example}>{EXAMPLE}</code>
          </>
        )}
      </DropZone>
      {upload.error ? <Notice>{upload.error.message}</Notice> : null}
      {failure ? <ValidationReport validation={failure} /> : null}
      {upload.data ? <Stored dataset={upload.data} /> : null}
    </div>
  );
}

function Stored({ dataset }: { dataset: UploadedDataset }) {
  return (
    <section className={styles.stored} aria-label="Stored">
      <div className={styles.done}>
        <Icon name="check" />
        <p>
          <strong>{dataset.dataset}</strong> version {dataset.version}: {count(dataset.count)} lines,{" "}
          {count(dataset.graded)} graded.
        </p>
        <Link
          to="/runs/new"
          search={{ benchmark: [dataset.benchmark] }}
          className={buttonClass({ tone: "primary", isSmall: true })}
        >
          <Icon name="play" size={12} />
          Run it
        </Link>
      </div>
      <ValidationReport validation={dataset.validation} />
    </section>
  );
}
