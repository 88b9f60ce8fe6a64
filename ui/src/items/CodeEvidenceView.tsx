import { Icon } from "../ui/Icon";
import type { CodeEvidence, CodeTest } from "./codeEvidence";
import styles from "./CodeEvidenceView.module.css";
import {
  changedLines,
  folderOf,
  type PatchedFile,
  patchedFiles,
  type PatchFolder,
  type PatchLine,
} from "./patch";

const MARKS = { passed: "check", failed: "cross", not_run: "blocked" } as const;
const WORDS = { passed: "passed", failed: "failed", not_run: "not run" };

/** An answer to a code task: each test by name, and what the answer changed. */
export function CodeEvidenceView({ code: { tests, patch, form, unlisted } }: { code: CodeEvidence }) {
  const passed = tests.filter(({ result }) => result === "passed").length + unlisted;
  return (
    <>
      <section className={styles.tests} aria-label="Tests">
        <h2>
          Tests <span>{`${passed} of ${tests.length + unlisted} passed`}</span>
        </h2>
        <ul>
          {tests.map((test) => (
            <Test key={test.name} test={test} />
          ))}
        </ul>
      </section>
      {form ? <PatchView patch={patch} note={`given as ${form}`} /> : null}
    </>
  );
}

/** What was changed: the files by folder, and each with its lines. */
export function PatchView({ patch, note }: { patch: string; note?: string }) {
  const files = patchedFiles(patch);
  return (
    <section className={styles.patch} aria-label="Patch">
      <h2>
        Patch <span>{note}</span>
      </h2>
      {files.length > 1 ? <Folder folder={folderOf(files)} /> : null}
      {files.map((file) => (
        <FileView key={file.path} file={file} />
      ))}
    </section>
  );
}

function Folder({ folder: { name, folders, files } }: { folder: PatchFolder }) {
  return (
    <div className={styles.folder}>
      {name ? <code>{name}/</code> : null}
      <ul>
        {folders.map((one) => (
          <li key={one.name}>
            <Folder folder={one} />
          </li>
        ))}
        {files.map((file) => (
          <li key={file.path}>
            <a href={`#${anchorOf(file)}`}>{file.path.slice(file.path.lastIndexOf("/") + 1)}</a>{" "}
            {file.state === "changed" ? "" : file.state} <Lines file={file} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Lines({ file }: { file: PatchedFile }) {
  const { added, removed } = changedLines(file);
  return (
    <span className={styles.lines}>
      <span data-kind="added">+{added}</span> <span data-kind="removed">−{removed}</span>
    </span>
  );
}

function anchorOf({ path }: PatchedFile): string {
  return `patch-${path}`;
}

function Test({ test: { name, result, message } }: { test: CodeTest }) {
  return (
    <li data-result={result}>
      <Icon name={MARKS[result]} size={12} />
      <code>{name}</code>
      <span className="visually-hidden">{WORDS[result]}</span>
      {message ? <p>{message}</p> : null}
    </li>
  );
}

function FileView({ file }: { file: PatchedFile }) {
  const { path, state, hunks } = file;
  return (
    <details className={styles.file} id={anchorOf(file)} open>
      <summary>
        <code>{path}</code> {state === "changed" ? "" : state} <Lines file={file} />
      </summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard */}
      <div className={styles.scroll} tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
        <table>
          <thead className="visually-hidden">
            <tr>
              <th>Line before</th>
              <th>Before</th>
              <th>Line after</th>
              <th>After</th>
            </tr>
          </thead>
          {hunks.map((rows, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- the hunks of a patch never change places
            <tbody key={place}>
              {rows.map(({ before, after }, row) => (
                // oxlint-disable-next-line react/no-array-index-key -- nor do its rows
                <tr key={row}>
                  <Side line={before} kind="removed" />
                  <Side line={after} kind="added" />
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </details>
  );
}

function Side({ line, kind }: { line: PatchLine | undefined; kind: "removed" | "added" }) {
  const state = line?.isChanged ? kind : line ? "same" : "none";
  return (
    <>
      <td className={styles.number} data-state={state}>
        {line?.number}
      </td>
      <td className={styles.text} data-state={state}>
        {line?.text}
      </td>
    </>
  );
}
