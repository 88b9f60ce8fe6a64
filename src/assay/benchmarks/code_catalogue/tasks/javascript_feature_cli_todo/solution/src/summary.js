const MOST_TAGS = 3;

/** What is done, overdue and open, as lines of text. */
export function summarize(todos, today) {
  if (todos.length === 0) return "nothing to do";
  const open = todos.filter((todo) => !todo.done);
  const done = todos.length - open.length;
  const count = (label, matching, unit = "") => (matching.length > 0 ? [`${label}: ${matching.length}${unit}`] : []);
  return [
    `${done} of ${todos.length} done (${percentage(done, todos.length)}%)`,
    // Dates in this form are ordered like their strings.
    ...count(
      "overdue",
      open.filter(({ due }) => due !== null && due < today),
    ),
    ...count(
      "due today",
      open.filter(({ due }) => due === today),
    ),
    ...["high", "normal", "low"].flatMap((priority) =>
      count(
        priority,
        open.filter((todo) => todo.priority === priority),
        " open",
      ),
    ),
    ...tagLines(todos),
  ].join("\n");
}

function percentage(done, all) {
  if (done === all) return 100;
  if (done === 0) return 0;
  return Math.min(99, Math.max(1, Math.round((100 * done) / all)));
}

function tagLines(todos) {
  const tags = new Map();
  for (const todo of todos) {
    for (const name of todo.tags) {
      const { open, done } = tags.get(name) ?? { open: 0, done: 0 };
      tags.set(name, todo.done ? { open, done: done + 1 } : { open: open + 1, done });
    }
  }
  const lines = [...tags]
    .sort(([one, a], [other, b]) => b.open - a.open || (one < other ? -1 : 1))
    .map(([name, { open, done }]) => `#${name}: ${open} open, ${done} done`);
  const others = lines.length - MOST_TAGS;
  if (others <= 0) return lines;
  return [...lines.slice(0, MOST_TAGS), `and ${others} more ${others === 1 ? "tag" : "tags"}`];
}
