import { UsageError } from "./errors.js";

const TAG = /^[a-z0-9-]+$/;
const ID = /^[1-9][0-9]*$/;
const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

const oneOf = (words) => (value) => (words.includes(value) ? value : undefined);

function tag(value) {
  const name = value.toLowerCase();
  return TAG.test(name) ? name : undefined;
}

function date(value) {
  const [year, month, day] = (DATE.exec(value) ?? []).slice(1).map(Number);
  if (!year || !month || !day || month > 12) return undefined;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= days[month - 1] ? value : undefined;
}

// By command: the options by long name, and what becomes of the positional arguments.
const COMMANDS = new Map([
  [
    "add",
    {
      options: new Map([
        ["--priority", { short: "-p", read: oneOf(["low", "normal", "high"]) }],
        ["--due", { short: "-d", read: date }],
        ["--tag", { short: "-t", read: tag, isRepeatable: true }],
      ]),
      result: (found, words) => ({
        title: title(words),
        priority: found.get("--priority")?.[0] ?? "normal",
        due: found.get("--due")?.[0] ?? null,
        tags: [...new Set(found.get("--tag"))],
      }),
    },
  ],
  ["done", { options: new Map(), result: (_found, words) => ({ ids: ids(words) }) }],
  [
    "list",
    {
      options: new Map([
        ["--status", { short: "-s", read: oneOf(["open", "done", "all"]) }],
        ["--tag", { short: "-t", read: tag }],
      ]),
      result: (found, words) => {
        expectNone(words);
        return { status: found.get("--status")?.[0] ?? "open", tag: found.get("--tag")?.[0] ?? null };
      },
    },
  ],
  [
    "summary",
    {
      options: new Map(),
      result: (_found, words) => {
        expectNone(words);
        return {};
      },
    },
  ],
]);

/** The command and its options; throws UsageError. */
export function parseArguments(argv) {
  if (argv.length === 0) throw new UsageError("missing-command", null);
  const [command, ...rest] = argv;
  const rules = COMMANDS.get(command);
  if (rules === undefined) throw new UsageError("unknown-command", command);
  const { found, words } = split(rest, rules.options);
  return { command, ...rules.result(found, words) };
}

/** The values of every option, by its long name, and the positional arguments. */
function split(rest, options) {
  const found = new Map();
  const words = [];
  for (let index = 0; index < rest.length; index += 1) {
    const argument = rest[index];
    if (argument === "--") {
      words.push(...rest.slice(index + 1));
      break;
    }
    if (argument === "-" || !argument.startsWith("-")) {
      words.push(argument);
      continue;
    }
    const { name, option, attached } = lookUp(argument, options);
    if (found.has(name) && !option.isRepeatable) throw new UsageError("repeated-option", name);
    let text = attached;
    if (text === undefined) {
      index += 1;
      text = rest[index];
      if (text === undefined || text.startsWith("--")) throw new UsageError("missing-value", name);
    }
    const value = option.read(text);
    if (value === undefined) throw new UsageError("invalid-value", name);
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return { found, words };
}

function lookUp(argument, options) {
  const equals = argument.indexOf("=");
  const written = equals < 0 ? argument : argument.slice(0, equals);
  for (const [name, option] of options) {
    if (written === name) {
      return { name, option, attached: equals < 0 ? undefined : argument.slice(equals + 1) };
    }
    if (argument === option.short) return { name, option, attached: undefined };
  }
  throw new UsageError("unknown-option", written);
}

function title(words) {
  const text = words.join(" ").trim();
  if (text === "") throw new UsageError("missing-argument", "TITLE");
  return text;
}

function ids(words) {
  if (words.length === 0) throw new UsageError("missing-argument", "ID");
  if (!words.every((word) => ID.test(word))) throw new UsageError("invalid-value", "ID");
  return [...new Set(words.map(Number))];
}

function expectNone(words) {
  if (words.length > 0) throw new UsageError("unexpected-argument", words[0]);
}
