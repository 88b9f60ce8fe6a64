/** Reads `?run=a&run=b` as a list and everything else as text; what it means is up to each page. */
export function parseSearch(search: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  const params = new URLSearchParams(search);
  for (const key of new Set(params.keys())) {
    const values = params.getAll(key);
    found[key] = values.length > 1 ? values : (values[0] ?? "");
  }
  return found;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") params.append(key, String(one));
    }
  }
  // These are legal in a query, and addresses are meant to be read.
  const text = params.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
  return text ? `?${text}` : "";
}
