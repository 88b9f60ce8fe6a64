import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { addressOf, curlOf, exampleOf, operationsOf } from "./operations";

const OPERATIONS = operationsOf(JSON.parse(readFileSync("openapi.json", "utf8")));
const named = (id: string) => {
  const found = OPERATIONS.find((one) => one.id === id);
  if (!found) throw new Error(id);
  return found;
};

test("every call of the API is there, once", () => {
  expect(OPERATIONS.length).toBeGreaterThan(20);
  expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length);
});

test("an address holds what was filled in", () => {
  const items = named("list_items");
  expect(addressOf(items, {})).toBe("/api/runs/{run_id}/benchmarks/{name}");
  expect(addressOf(items, { run_id: "a/b", name: "ifeval", search: "x y" })).toBe(
    "/api/runs/a%2Fb/benchmarks/ifeval?search=x+y",
  );
});

test("curl sends a body where one is asked for", () => {
  expect(curlOf(named("show_run"), { run_id: "1" }, "http://h")).toBe("curl 'http://h/api/runs/1'");
  const create = curlOf(named("create_run"), {}, "http://h");
  expect(create).toContain("-H 'Content-Type: application/json'");
  expect(create).toContain('"selected_benchmarks"');
  expect(curlOf(named("set_maintenance"), {}, "http://h")).toContain("-H 'x-admin-secret: …'");
});

test("an example has what is required, and ends where a schema refers to itself", () => {
  const schemas = {
    Node: { type: "object", required: ["next"], properties: { next: { $ref: "#/c/Node" } } },
  };
  expect(exampleOf({ $ref: "#/c/Node" }, schemas)).toHaveProperty("next");
});

test("a form is sent with its file, and marks of the shell are escaped", () => {
  const upload = {
    post: {
      requestBody: {
        content: {
          "multipart/form-data": {
            schema: {
              type: "object",
              required: ["file"],
              properties: { file: { type: "string", format: "binary" }, name: { type: "string" } },
            },
          },
        },
      },
    },
  };
  const [operation] = operationsOf({ paths: { "/up": upload } });
  expect(operation && curlOf(operation, {}, "http://a")).toBe(
    "curl -X POST 'http://a/up' \\\n  -F file=@FILE",
  );
  const quoted = operation && { ...operation, form: [], body: "it's" };
  expect(quoted && curlOf(quoted, {}, "http://a")).toContain(String.raw`-d 'it'\''s'`);
});
