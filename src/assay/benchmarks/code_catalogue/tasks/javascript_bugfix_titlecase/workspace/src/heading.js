import { titleCase } from "./titlecase.js";

/** The text as a Markdown heading of a level from 1 to 6. */
export function heading(text, level = 1) {
  if (!Number.isInteger(level) || level < 1 || level > 6) {
    throw new RangeError(`a heading has a level from 1 to 6, not ${level}`);
  }
  return `${"#".repeat(level)} ${titleCase(text)}`;
}
