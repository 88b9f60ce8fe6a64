import { useState } from "react";
import { Button } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import { Field, inputClass } from "../ui/Field";
import { addressOf, curlOf, type Operation } from "./operations";
import styles from "./OperationView.module.css";

const LONGEST = 20_000;
const STREAMS = /events$/;

export function OperationView({ operation }: { operation: Operation }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const shown = operation.parameters.filter(({ name }) => name.toLowerCase() !== "last-event-id");
  return (
    <details className={styles.operation}>
      <summary>
        <code data-method={operation.method}>{operation.method}</code>
        <code className={styles.path}>{operation.path}</code>
        <span>{operation.summary.split("\n")[0]}</span>
      </summary>
      <div className={styles.body}>
        {operation.summary.includes("\n") ? <p className={styles.text}>{operation.summary}</p> : null}
        {shown.length > 0 ? (
          <div className={styles.parameters}>
            {shown.map(({ name, place, isRequired, note }) => (
              <Field
                key={`${place} ${name}`}
                label={isRequired ? `${name} (required)` : name}
                hint={note || place}
              >
                {(wiring) => (
                  <input
                    {...wiring}
                    className={inputClass}
                    value={values[name] ?? ""}
                    onChange={({ target }) => setValues({ ...values, [name]: target.value })}
                    autoComplete="off"
                    spellCheck={false}
                  />
                )}
              </Field>
            ))}
          </div>
        ) : null}
        <CodeBlock label={`curl for ${operation.id}`}>{curlOf(operation, values, location.origin)}</CodeBlock>
        {operation.method === "GET" && !STREAMS.test(operation.path) ? (
          <Try operation={operation} values={values} />
        ) : null}
      </div>
    </details>
  );
}

function Try({ operation, values }: { operation: Operation; values: Record<string, string> }) {
  const [answer, setAnswer] = useState<{ status: string; body: string }>();
  const [isBusy, setIsBusy] = useState(false);
  const isComplete = operation.parameters.every(
    ({ name, place, isRequired }) => !isRequired || place === "header" || values[name],
  );

  async function call() {
    setIsBusy(true);
    try {
      const headers = operation.parameters.flatMap(({ name, place }): [string, string][] =>
        place === "header" && values[name] ? [[name, values[name]]] : [],
      );
      const response = await fetch(addressOf(operation, values), { headers });
      setAnswer({
        status: `${response.status} ${response.statusText}`,
        body: readable(await response.text()),
      });
    } catch (error) {
      setAnswer({ status: "No answer", body: String(error) });
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <>
      <Button isSmall icon="play" isBusy={isBusy} disabled={!isComplete} onClick={call}>
        Try it
      </Button>
      {answer ? (
        <div className={styles.answer} role="status">
          <strong>{answer.status}</strong>
          <CodeBlock label="Answer" isTall>
            {answer.body}
          </CodeBlock>
        </div>
      ) : null}
    </>
  );
}

function readable(body: string): string {
  let text = body;
  try {
    text = JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // Not JSON: shown as it came.
  }
  return text.length > LONGEST
    ? `${text.slice(0, LONGEST)}\n… and ${text.length - LONGEST} more characters`
    : text;
}
