/** The text with the first letter of every word in upper case. */
export function titleCase(text) {
  return String(text)
    .split(" ")
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join(" ");
}
