/** Fields of the form that are typed as JSON; undefined for what is empty or cannot be used. */

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function jsonObject(text: string): Record<string, unknown> | undefined {
  const value = parsed(text);
  return isObject(value) ? value : undefined;
}

export function textsOf(text: string): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(jsonObject(text) ?? { "": null })) {
    if (typeof value !== "string") return undefined;
    found[name] = value;
  }
  return found;
}

/** A text as it stands, or the texts of a JSON list. */
export function stopsOf(text: string): string[] | undefined {
  if (text === "") return undefined;
  if (!text.trimStart().startsWith("[")) return [text];
  const value = parsed(text);
  const isList = Array.isArray(value) && value.every((one): one is string => typeof one === "string");
  return isList ? value : undefined;
}

export function jsonText(value: Record<string, unknown> | readonly string[]): string | null {
  const isEmpty = Object.keys(value).length === 0;
  if (isEmpty) return null;
  const [only] = Array.isArray(value) && value.length === 1 ? value : [];
  return typeof only === "string" && !only.trimStart().startsWith("[") ? only : JSON.stringify(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
