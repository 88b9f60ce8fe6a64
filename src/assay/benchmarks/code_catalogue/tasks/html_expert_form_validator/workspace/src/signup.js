import { renderForm } from "./markup.js";
import { validateSignup } from "./validation.js";

/** The answer to a submission: a status, and the page or the account that follows from it. */
export function handleSubmission(input, { key, limiter }) {
  const { values, errors } = validateSignup(input);
  if (errors.length > 0) return { status: 422, html: renderForm(input, errors) };
  const { allowed, retryAfter } = limiter.attempt(key);
  if (!allowed) {
    const message = `Try again in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`;
    return { status: 429, retryAfter, html: renderForm(input, [{ field: null, code: "limited", message }]) };
  }
  const { name, email, interests } = values;
  return { status: 303, location: "/welcome", account: { name, email, interests } };
}
