import { Icon } from "../ui/Icon";
import type { CodeEvidence, CodeTest } from "./codeEvidence";
import styles from "./CodeEvidenceView.module.css";
import { type PatchedFile, patchedFiles, type PatchLine } from "./patch";

const MARKS = { passed: "check", failed: "cross", not_run: "blocked" } as const;
const WORDS = { passed: "passed", failed: "failed", not_run: "not run" };

/** An answer to a code task: each test by name, and what the answer changed. */
export function CodeEvidenceView({ code: { tests, patch, form } }: { code: CodeEvidence }) {
  const passed = tests.filter(({ result }) => result === "passed").length;
  return (
    <>
      <section className={styles.tests} aria-label="Tests">
        <h3>
          Tests <span>{`${passed} of ${tests.length} passed`}</span>
        </h3>
        <ul>
          {tests.map((test) => (
            <Test key={test.name} test={test} />
          ))}
        </ul>
      </section>
      {form ? (
        <section className={styles.patch} aria-label="Patch">
          <h3>
            Patch <span>{`given as ${form}`}</span>
          </h3>
          {patchedFiles(patch).map((file) => (
            <FileView key={file.path} file={file} />
          ))}
        </section>
      ) : null}
    </>
  );
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

function FileView({ file: { path, state, hunks } }: { file: PatchedFile }) {
  return (
    <details className={styles.file} open>
      <summary>
        <code>{path}</code> {state === "changed" ? "" : state}
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
