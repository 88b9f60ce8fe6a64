import { INTERESTS } from "./interests.js";

/** The form with what the user has sent and what is wrong with it, as HTML. */
export function renderForm(input, errors = []) {
  throw new Error("renderForm is not written yet");
}
