export interface Parameter {
  name: string;
  place: "path" | "query" | "header";
  isRequired: boolean;
  note: string;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  parameters: Parameter[];
  /** An example of the body, where one is sent as JSON. */
  body: string | undefined;
  /** The fields of the form, where one is sent. */
  form: FormField[];
}

export interface FormField {
  name: string;
  isFile: boolean;
  isRequired: boolean;
}

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);
/** Marked as optional only so that the server can say that it is missing. */
const ADMIN_HEADER = "x-admin-secret";
const PLACES = ["path", "query", "header"] as const;

type Json = Record<string, unknown>;

/** The calls that an OpenAPI document describes, in its order. */
export function operationsOf(document: unknown): Operation[] {
  const described = record(document);
  const schemas = record(record(described["components"])["schemas"]);
  return Object.entries(record(described["paths"])).flatMap(([path, calls]) =>
    Object.entries(record(calls))
      .filter(([method]) => METHODS.has(method))
      .map(([method, call]) => operationOf(method, path, record(call), schemas)),
  );
}

function operationOf(method: string, path: string, call: Json, schemas: Json): Operation {
  const content = record(record(call["requestBody"])["content"]);
  const schema = record(content["application/json"])["schema"];
  return {
    id: String(call["operationId"] ?? `${method} ${path}`),
    method: method.toUpperCase(),
    path,
    tag: String(list(call["tags"])[0] ?? "other"),
    summary: String(call["description"] ?? call["summary"] ?? ""),
    parameters: list(call["parameters"]).map((one) => parameterOf(record(one))),
    body: schema === undefined ? undefined : JSON.stringify(exampleOf(schema, schemas), null, 2),
    form: formOf(record(content["multipart/form-data"])["schema"]),
  };
}

function formOf(schema: unknown): FormField[] {
  const described = record(schema);
  const required = list(described["required"]);
  return Object.entries(record(described["properties"])).map(([name, field]) => ({
    name,
    isFile: record(field)["format"] === "binary",
    isRequired: required.includes(name),
  }));
}

function parameterOf(described: Json): Parameter {
  return {
    name: String(described["name"]),
    place: PLACES.find((place) => place === described["in"]) ?? "query",
    isRequired: described["required"] === true,
    note: String(described["description"] ?? record(described["schema"])["description"] ?? ""),
  };
}

/** Something that fits a schema: what is required, with the defaults where there are any. */
export function exampleOf(schema: unknown, schemas: Json, depth = 0): unknown {
  const described = record(schema);
  const reference = described["$ref"];
  if (typeof reference === "string") {
    return exampleOf(schemas[reference.split("/").at(-1) ?? ""], schemas, depth + 1);
  }
  const [given] = list(described["examples"]);
  if (given !== undefined) return given;
  if ("const" in described) return described["const"];
  if ("default" in described && described["default"] !== null) return described["default"];
  const [first] = [...list(described["anyOf"]), ...list(described["enum"])];
  if (first !== undefined) return "enum" in described ? first : exampleOf(first, schemas, depth);
  switch (described["type"]) {
    case "object":
      return objectExample(described, schemas, depth);
    case "array":
      return [exampleOf(described["items"], schemas, depth + 1)];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    default:
      return "…";
  }
}

function objectExample(described: Json, schemas: Json, depth: number): Json {
  const required = list(described["required"]);
  const properties = Object.entries(record(described["properties"]));
  const shown = properties.filter(([name]) => required.includes(name));
  return depth > 4
    ? {}
    : Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, schemas, depth + 1)]));
}

/** The address with the values filled in; a part that has none stays as it is described. */
export function addressOf({ path, parameters }: Operation, values: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] ? encodeURIComponent(values[name]) : whole,
  );
  const query = new URLSearchParams();
  for (const { name, place } of parameters) {
    if (place === "query" && values[name]) query.append(name, values[name]);
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}

export function curlOf(operation: Operation, values: Record<string, string>, origin: string): string {
  const lines = [
    `curl ${operation.method === "GET" ? "" : `-X ${operation.method} `}'${origin}${addressOf(operation, values)}'`,
  ];
  for (const { name, place, isRequired } of operation.parameters) {
    const isSent = isRequired || values[name] || name === ADMIN_HEADER;
    if (place === "header" && isSent) lines.push(`-H '${name}: ${values[name] ?? "…"}'`);
  }
  if (operation.body) {
    lines.push(
      "-H 'Content-Type: application/json'",
      `-d '${operation.body.replaceAll("'", String.raw`'\''`)}'`,
    );
  }
  for (const { name, isFile, isRequired } of operation.form) {
    if (isRequired) lines.push(isFile ? `-F ${name}=@FILE` : `-F ${name}=…`);
  }
  return lines.join(" \\\n  ");
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
