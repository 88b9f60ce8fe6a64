/** What the grader of code tasks reports: the tests by name, and the answer as a patch. */
export interface CodeEvidence {
  tests: CodeTest[];
  patch: string;
  /** How the answer was given and read, in words; empty where there is no patch. */
  form: string;
  /** Tests that passed and are not listed. */
  unlisted: number;
}

export interface CodeTest {
  name: string;
  result: "passed" | "failed" | "not_run";
  message: string;
}

type Values = Record<string, unknown>;

const FORMS: Record<string, string> = {
  git_diff: "a git diff",
  unified_diff: "a unified diff",
  whole_files: "whole files",
  search_replace: "search and replace blocks",
};

/** The evidence, and the details without it; undefined for attempts at other benchmarks. */
export function codeEvidenceOf(
  details: Values,
  extracted: string | null = null,
): { code: CodeEvidence; rest: Values } | undefined {
  return answeredTask(details) ?? repositoryTask(details, extracted) ?? testedTask(details);
}

function answeredTask(details: Values): { code: CodeEvidence; rest: Values } | undefined {
  const { answer, tests, language, type, difficulty, ...others } = details;
  if (!isValues(answer) || !Array.isArray(tests) || typeof language !== "string") return undefined;
  const form = FORMS[String(answer["format"])];
  const repairs = Array.isArray(answer["repairs"]) ? answer["repairs"].map(words) : [];
  const fallback = typeof answer["fallback"] === "string" ? [`fallback: ${answer["fallback"]}`] : [];
  const notes = [...repairs.map((one) => `repaired: ${one}`), ...fallback];
  const ignored = Array.isArray(answer["ignored"]) ? answer["ignored"].length : 0;
  if (ignored > 0) notes.push(`${ignored} changes to tests ignored`);
  return {
    code: {
      tests: tests.filter(isValues).map(testOf),
      patch: typeof answer["patch"] === "string" ? answer["patch"] : "",
      form: form === undefined ? "" : [form, ...notes].join(", "),
      unlisted: 0,
    },
    rest: { task: [language, words(type), words(difficulty)].join(", "), ...withoutStatus(others) },
  };
}

/** What an agent changed in a repository; of the required tests, those that did not pass are named. */
function repositoryTask(details: Values, extracted: string | null) {
  const { passed, missing, ...rest } = details;
  if (typeof passed !== "number" || !Array.isArray(missing)) return undefined;
  const tests = missing.map((name) => testOf({ name, result: "failed" }));
  const patch = extracted?.startsWith("diff --git ") ? extracted : "";
  return { code: { tests, patch, form: patch ? "a diff of the repository" : "", unlisted: passed }, rest };
}

/** A task that ended with tests of its state. */
function testedTask(details: Values) {
  const { tests, ...rest } = details;
  if (!Array.isArray(tests) || !tests.every((one) => isValues(one) && "result" in one)) return undefined;
  return { code: { tests: tests.map(testOf), patch: "", form: "", unlisted: 0 }, rest };
}

/** The outcome says the same. */
function withoutStatus({ status: _status, ...rest }: Values): Values {
  return rest;
}

function testOf(value: Values): CodeTest {
  const { name, result, message } = value;
  return {
    name: String(name),
    result: result === "passed" || result === "failed" ? result : "not_run",
    message: typeof message === "string" ? message : "",
  };
}

function words(value: unknown): string {
  return String(value).replaceAll("_", " ");
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
