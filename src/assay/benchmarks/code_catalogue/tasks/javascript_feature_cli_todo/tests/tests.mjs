import { parseArguments } from "/workspace/src/arguments.js";
import { UsageError } from "/workspace/src/errors.js";
import { run } from "/workspace/src/run.js";
import { summarize } from "/workspace/src/summary.js";

/** What parsing ends in; the mistakes in a short form. */
function parsed(...argv) {
  try {
    return parseArguments(argv);
  } catch (error) {
    if (error instanceof UsageError) return `${error.problem} ${error.argument}`;
    return `${error.name}: ${error.message}`;
  }
}

function todo(id, { done = false, priority = "normal", due = null, tags = [] } = {}) {
  return { id, title: `thing ${id}`, done, priority, due, tags };
}

export function add(observe) {
  observe(parsed("add", "Water", "the plants"));
  observe(parsed("add", "--priority", "high", "Call", "--tag", "work", "Ms. Ode", "--due=2031-05-04", "-t", "Phone-2"));
  observe(parsed("add", "  wide  ", "", "open "));
  const argv = Object.freeze(["add", "b", "-t", "c", "--", "a"]);
  observe(parseArguments(argv));
  observe(argv);
}

export function tags(observe) {
  observe(parsed("add", "x", "-t", "b", "-t", "A", "--tag=B", "--tag", "a", "-t", "-c", "-t", "9").tags);
  observe(parsed("add", "x", "-t", "to_do"));
  observe(parsed("add", "x", "--tag="));
  observe(parsed("add", "x", "--tag", "été"));
}

export function done(observe) {
  observe(parsed("done", "7", "12", "7", "1"));
  observe(parsed("done", "--", "30"));
  for (const id of ["0", "07", "+7", "1.5", "1e3", "", "x", "٣"]) observe(parsed("done", "4", id));
  observe(parsed("done", "-5"));
}

export function list_and_summary(observe) {
  observe(parsed("list"));
  observe(parsed("list", "-s", "all", "--tag=HOME"));
  observe(parsed("summary"));
  observe(parsed("summary", "--"));
  observe(parsed("list", "open"));
  observe(parsed("list", "--tag", "a", "-t", "b"));
  observe(parsed("summary", "-s", "all"));
}

export function end_of_options(observe) {
  observe(parsed("add", "-p", "low", "--", "--due", "-x", "--", "-"));
  observe(parsed("add", "-", "one", "-"));
  observe(parsed("add", "a", "--tag", "--", "b"));
}

export function values_of_options(observe) {
  observe(parsed("add", "x", "--priority=high=low"));
  observe(parsed("add", "x", "-p=high"));
  observe(parsed("add", "x", "--due="));
  observe(parsed("add", "x", "--due"));
  observe(parsed("add", "x", "-d", "--tag", "a"));
  observe(parsed("add", "x", "-p", "High"));
  observe(parsed("list", "-t", "-"));
  observe(parsed("list", "--status", "-s"));
}

export function dates(observe) {
  const due = (date) => parsed("add", "x", "-d", date).due ?? null;
  observe(["2028-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2030-04-30"].map(due));
  observe(
    [
      ...["2027-02-29", "1900-02-29", "2030-04-31", "2030-13-01", "2030-00-10", "2030-10-00", "0000-01-01"],
      ...["2030-1-01", "20300101", "2030-01-01T10", " 2030-01-01", "2030/01/01"],
    ].map((date) => parsed("add", "x", "-d", date)),
  );
}

export function mistakes(observe) {
  observe(parsed());
  observe(parsed("remove", "3"));
  observe(parsed("--tag", "a", "list"));
  observe(parsed(""));
  observe(parsed("add", "x", "--priorit", "low"));
  observe(parsed("add", "x", "-status=all"));
  observe(parsed("done", "1", "--tag=a=b"));
  observe(parsed("add", "  ", ""));
  observe(parsed("add", "-p", "low"));
  observe(parsed("done"));
  observe(parsed("add", "x", "-p", "low", "--priority=low"));
  observe(["constructor", "toString", "__proto__", "hasOwnProperty"].map((name) => parsed(name)));
  observe(["--constructor", "--__proto__=1", "--toString"].map((name) => parsed("add", "x", name)));
  // The first of several.
  observe(parsed("list", "surplus", "more", "--status", "none"));
  observe(parsed("list", "surplus", "more"));
  observe(parsed("done", "x", "--force"));
  observe(parsed("add", "--due", "soon", "--colour"));
  observe(parsed("add", "--colour", "--due", "soon"));
}

export function summary(observe) {
  observe(
    summarize(
      [
        todo(1, { due: "2031-03-09", tags: ["home"] }),
        todo(2, { due: "2031-03-10", priority: "high" }),
        todo(3, { due: "2030-12-31", done: true, tags: ["home", "work"] }),
        todo(4, { due: "2031-03-11", priority: "high", tags: ["work"] }),
        todo(5, { due: "2031-03-10", done: true, priority: "low" }),
        todo(6, { due: "2029-06-01" }),
      ],
      "2031-03-10",
    ),
  );
  observe(summarize([todo(1), todo(2, { priority: "low" })], "2031-03-10"));
  observe(summarize([todo(1, { done: true, due: "2001-01-01" })], "2031-03-10"));
  observe(summarize([], "2031-03-10"));
}

export function percentages(observe) {
  const first = (done, all) =>
    summarize(
      Array.from({ length: all }, (_value, index) => todo(index + 1, { done: index < done })),
      "2031-03-10",
    ).split("\n")[0];
  observe([first(0, 7), first(1, 300), first(299, 300), first(300, 300), first(1, 8), first(1, 3), first(5, 8)]);
}

export function tags_in_order(observe) {
  const todos = [
    todo(1, { tags: ["zoo", "bank"] }),
    todo(2, { tags: ["zoo", "art"], done: true }),
    todo(3, { tags: ["art", "10"], done: true }),
    todo(4, { tags: ["art"], done: true }),
    todo(5, { tags: ["9"] }),
  ];
  observe(summarize(todos, "2031-03-10"));
  observe(summarize(todos.slice(0, 3), "2031-03-10"));
  observe(summarize(todos.slice(0, 2), "2031-03-10"));
}

export function whole_program(observe) {
  const before = Object.freeze([Object.freeze(todo(4)), Object.freeze(todo(9, { tags: Object.freeze(["home"]) }))]);
  const added = run(["add", "Oil", "the gate", "-t", "home", "-d", "2031-03-10"], before, "2031-03-10");
  observe(added);
  const done = run(["done", "9"], added.todos, "2031-03-10");
  observe(run(["list", "-t", "home"], done.todos, "2031-03-10").output);
  observe(run(["summary"], Object.freeze(done.todos), "2031-03-10").output);
}
