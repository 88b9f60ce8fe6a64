import { INTERESTS } from "./interests.js";

const REFERENCES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escape = (text) => text.replace(/[&<>"']/g, (character) => REFERENCES[character]);

/** The form with what the user has sent and what is wrong with it, as HTML. */
export function renderForm(input, errors = []) {
  const errorOf = (field) => errors.find((error) => error.field === field)?.message;
  return `<form id="signup" method="post" action="/signup" novalidate>
${summary(errors)}
${textField("name", "Name", { type: "text", autocomplete: "name" }, input?.name, errorOf("name"))}
${textField("email", "E-mail", { type: "email", autocomplete: "email" }, input?.email, errorOf("email"))}
${passwordField(errorOf("password"))}
${interestsField(input?.interests, errorOf("interests"))}
<button type="submit">Sign up</button>
</form>
`;
}

function summary(errors) {
  if (errors.length === 0) return "";
  const count = errors.length === 1 ? "There is 1 problem" : `There are ${errors.length} problems`;
  return `<div id="error-summary" role="alert" tabindex="-1">
<h2>${count}</h2>
<ul>
${errors.map((error) => `<li>${summaryText(error)}</li>`).join("\n")}
</ul>
</div>`;
}

function summaryText({ field, message }) {
  if (field === null) return escape(message);
  const target = field === "interests" ? `interests-${INTERESTS[0].value}` : field;
  return `<a href="#${escape(target)}">${escape(message)}</a>`;
}

function textField(field, label, { type, autocomplete }, value, message) {
  const text = typeof value === "string" ? value : "";
  const state = message === undefined ? "" : ` aria-invalid="true" aria-describedby="${field}-error"`;
  return `<p>
<label for="${field}">${label}</label>
<input id="${field}" name="${field}" type="${type}" autocomplete="${autocomplete}" required value="${escape(text)}"${state}>
${errorText(field, message)}
</p>`;
}

function passwordField(message) {
  const state =
    message === undefined
      ? 'aria-describedby="password-hint"'
      : 'aria-invalid="true" aria-describedby="password-hint password-error"';
  return `<p>
<label for="password">Password</label>
<span id="password-hint" class="hint">At least 10 characters of three kinds</span>
<input id="password" name="password" type="password" autocomplete="new-password" required ${state}>
${errorText("password", message)}
</p>`;
}

function interestsField(chosen, message) {
  const values = Array.isArray(chosen) ? chosen : [chosen];
  const boxes = INTERESTS.map(({ value, label }) => {
    const id = `interests-${escape(value)}`;
    const state = values.includes(value) ? " checked" : "";
    const box = `<input id="${id}" name="interests" type="checkbox" value="${escape(value)}"${state}>`;
    return `<label for="${id}">${box} ${escape(label)}</label>`;
  });
  return `<fieldset id="interests"${message === undefined ? "" : ' aria-describedby="interests-error"'}>
<legend>Interests</legend>
${errorText("interests", message)}
${boxes.join("\n")}
</fieldset>`;
}

function errorText(field, message) {
  return message === undefined ? "" : `<span id="${field}-error" class="error">${escape(message)}</span>`;
}
