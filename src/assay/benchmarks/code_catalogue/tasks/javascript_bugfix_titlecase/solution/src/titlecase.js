// What stands in front of the first letter of a part: its beginning, then neither letters nor digits.
const FIRST_LETTER = /(^|[ -])([^\p{L}\p{N} -]*)(\p{L})/gu;

/** The text with the first letter of every word, and of every part of a hyphenated word, in upper case. */
export function titleCase(text) {
  if (typeof text !== "string") {
    throw new TypeError(`a title is a string, not ${text === null ? "null" : typeof text}`);
  }
  return text
    .trim()
    .replace(/\s+/g, " ")
    .toLowerCase()
    .replace(FIRST_LETTER, (_match, separator, marks, letter) => separator + marks + letter.toUpperCase());
}
