/** Reads values from a URL, which anyone may have written by hand. */
export function text(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" || typeof one === "number" ? String(one).trim() || undefined : undefined;
}

export function texts(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(all.flatMap((one) => text(one) ?? []))];
}

export function oneOf<T extends string>(value: unknown, options: readonly T[]): T | undefined {
  const given = text(value);
  return options.find((option) => option === given);
}

export function wholeNumber(
  value: unknown,
  { from = 0, to = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  const given = text(value);
  const number = Number(given);
  return given && Number.isInteger(number) && number >= from && number <= to ? number : undefined;
}

/** Drops what is undefined or empty, so that a URL holds only what differs from the default. */
export function lean<T extends object>(search: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const kept: { [Key in keyof T]?: Exclude<T[Key], undefined> } = {};
  for (const [key, value] of Object.entries(search)) {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) Reflect.set(kept, key, value);
  }
  return kept;
}
