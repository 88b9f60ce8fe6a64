import { parseArguments } from "./arguments.js";
import { UsageError } from "./errors.js";
import { summarize } from "./summary.js";

/** Carries out a command line: the to-dos afterwards, and what to print. */
export function run(argv, todos, today) {
  const { command, ...options } = parseArguments(argv);
  switch (command) {
    case "add":
      return add(todos, options);
    case "done":
      return complete(todos, options.ids);
    case "list":
      return { todos, output: list(todos, options) };
    default:
      return { todos, output: summarize(todos, today) };
  }
}

function add(todos, { title, priority, due, tags }) {
  const id = Math.max(0, ...todos.map((todo) => todo.id)) + 1;
  return { todos: [...todos, { id, title, done: false, priority, due, tags }], output: `added ${id}` };
}

function complete(todos, ids) {
  const unknown = ids.find((id) => !todos.some((todo) => todo.id === id));
  if (unknown !== undefined) throw new UsageError("invalid-value", "ID");
  return {
    todos: todos.map((todo) => (ids.includes(todo.id) ? { ...todo, done: true } : todo)),
    output: `done: ${ids.join(", ")}`,
  };
}

function list(todos, { status, tag }) {
  return todos
    .filter((todo) => status === "all" || todo.done === (status === "done"))
    .filter((todo) => tag === null || todo.tags.includes(tag))
    .map((todo) => `${todo.id} ${todo.title}`)
    .join("\n");
}
