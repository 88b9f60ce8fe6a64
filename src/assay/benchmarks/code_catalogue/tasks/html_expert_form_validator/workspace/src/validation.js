import { INTERESTS } from "./interests.js";
import { MESSAGES } from "./messages.js";

/** The least number of characters to insert, delete or replace to make one string of the other. */
export function levenshtein(a, b) {
  throw new Error("levenshtein is not written yet");
}

/** What is weak about a password, and a score from 0 to 4. */
export function passwordStrength(password, { name = "", email = "" } = {}) {
  throw new Error("passwordStrength is not written yet");
}

/** The values of a submitted form in their normal form, and what is wrong with them. */
export function validateSignup(input) {
  throw new Error("validateSignup is not written yet");
}
