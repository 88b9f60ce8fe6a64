import type { TextField } from "./draft";

/** Opens what the field of an option is folded into, and leads to it. */
export function showOption(field: TextField) {
  const input = document.querySelector<HTMLInputElement>(`input[name="${field}"]`);
  const fold = input?.closest("details");
  if (fold) fold.open = true;
  input?.focus();
}
