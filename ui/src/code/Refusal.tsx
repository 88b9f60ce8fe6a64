import { keepToken, needsToken } from "../api/code";
import { Field, inputClass } from "../ui/Field";
import { Notice } from "../ui/Notice";

/** Why something was not done; where the server wants its benchmark token, with a field for it. */
export function Refusal({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <>
      <Notice>{error.message}</Notice>
      {needsToken(error) ? (
        <Field label="Benchmark token" hint="Kept until this tab is closed. Then try again.">
          {(wiring) => (
            <input
              {...wiring}
              type="password"
              className={inputClass}
              autoComplete="off"
              onChange={({ target }) => keepToken(target.value)}
            />
          )}
        </Field>
      ) : null}
    </>
  );
}
