import random

from workflow import CycleError, Task, schedule


def workflow(text):
    """Tasks from a text such as "a 3, b 1 < a, c 2 < a b"."""
    tasks = {}
    for part in text.split(","):
        own, _, after = part.partition("<")
        name, duration = own.split()
        tasks[name] = Task(int(duration), tuple(after.split()))
    return tasks


def shown(found):
    times = [
        [name, found.start[name], found.finish[name], found.slack[name]] for name in found.start
    ]
    return [list(found.order), times, found.makespan, list(found.critical_path)]


def cycle(text):
    try:
        return shown(schedule(workflow(text)))
    except CycleError as error:
        return [type(error.cycle).__name__, *error.cycle]
    except Exception as error:
        return type(error).__name__


RELEASE = (
    "package 2 < test docs, test 6 < compile, docs 3 < compile, compile 4 < fetch, "
    "fetch 1, announce 1 < package, lint 2 < fetch"
)


def test_release(observe):
    observe(shown(schedule(workflow(RELEASE))))


def test_smallest_order(observe):
    texts = (
        "z 1, y 1, a 1 < z, b 1 < y, x 1",
        "m 2, a 1 < m, n 1, b 5 < a n, c 1",
        "t10 1, t9 1, T2 1, t1 1 < t9, s 1 < t1 t10",
        "e 1 < d, d 1 < c, c 1 < b, b 1 < a, a 1, f 1",
    )
    observe([list(schedule(workflow(text)).order) for text in texts])


def test_earliest_times(observe):
    found = schedule(workflow("a 3, b 5, c 2 < a b, d 1 < a, e 4 < d c, f 0 < d, g 7"))
    observe([[name, found.start[name], found.finish[name]] for name in "abcdefg"])
    observe([found.makespan, list(found.critical_path)])


def test_slack(observe):
    found = schedule(workflow("a 2, b 3 < a, c 1 < a, d 1 < c, e 4 < b d, x 5, y 2 < x, z 0"))
    observe([[name, found.slack[name]] for name in sorted(found.slack)])
    found = schedule(workflow("p 1, q 1 < p, r 1 < q, long 10"))
    observe([[name, found.slack[name]] for name in found.slack])


def test_smallest_critical_path(observe):
    texts = (
        "b 2, a 2, d 3 < a, c 3 < b",
        "s 1, c 2 < s, b 2 < s, z 4 < b, y 4 < c",
        "k 2, j 2, m 2 < k, l 1 < j, n 1 < l m",
        "u 5, a 2, b 3, v 1 < a",
        "a 2, c 2, b 2 < c, d 2 < a",
    )
    found = [schedule(workflow(text)) for text in texts]
    observe([[one.makespan, list(one.critical_path)] for one in found])


def test_empty_tasks_and_workflows(observe):
    texts = (
        "go 0, a 3 < go, stop 0 < a",
        "zero 0, a 3 < zero, b 2 < mid, mid 0 < a, end 0 < b",
        "n 0, m 0 < n",
        "a 0, b 4 < a, c 0 < b",
        "m 0, a 4 < m, m2 0 < a, b 4 < m2, a2 1 < m2",
    )
    for text in texts:
        observe(shown(schedule(workflow(text))))

    observe(shown(schedule({})))
    observe(shown(schedule({"only": Task(6)})))
    found = schedule({"only": Task(6)})
    observe([type(found.order).__name__, type(found.critical_path).__name__])


def test_repeated_dependencies(observe):
    tasks = {"b": Task(2, ("a", "a", "c", "a")), "a": Task(3), "c": Task(1, ("a", "a"))}
    observe(shown(schedule(tasks)))
    observe([list(tasks), [list(task.after) for task in tasks.values()]])


def test_order_of_input_does_not_matter(observe):
    tasks = workflow(RELEASE)
    results = []
    for seed in range(6):
        names = sorted(tasks)
        random.Random(seed).shuffle(names)
        turned = {name: Task(tasks[name].duration, tasks[name].after[::-1]) for name in names}
        results.append(shown(schedule(turned)))
    observe([results[0], [one == results[0] for one in results]])


def test_unknown_dependencies(observe):
    for text in ("a 1 < b", "a 1, b 2 < y a, c 3 < x, d 1 < z", "a 1 < a gone"):
        try:
            observe(shown(schedule(workflow(text))))
        except Exception as error:
            observe([type(error).__name__, *error.args])


def test_negative_durations(observe):
    observe.raises(ValueError, schedule, workflow("a 1, b -1 < a"))
    for text in ("a -2 < b, b 1 < missing", "a -1 < a", "x 0, y 3 < x"):
        try:
            observe(list(schedule(workflow(text)).order))
        except Exception as error:
            observe(f"{type(error).__name__} for {text}")


def test_cycles(observe):
    observe(cycle("c 1 < b, a 1 < c, b 1 < a"))
    observe(cycle("q 1 < r, r 1 < p, p 1 < q, s 1"))
    observe(cycle("self 3 < self, other 1"))
    observe(cycle("x 2 < w, w 1 < x"))


def test_only_the_cycle_is_named(observe):
    observe(cycle("a 1, d 1 < a f, e 1 < d, f 1 < e, b 1 < e, g 1 < b f, c 1 < a"))
    observe(cycle("a 1 < b, b 1 < c, c 1 < d, d 1 < e, e 1 < c"))
    observe(cycle("root 1, m 1 < root n, n 1 < m root k, k 1, z 1 < m, zz 1 < z"))
    observe(issubclass(CycleError, ValueError))


def test_long_chain(observe):
    names = [f"t{number:05}" for number in range(20_000)]
    tasks = {name: Task(2, (previous,)) for previous, name in zip(names[:-1], names[1:])}
    tasks[names[0]] = Task(5)
    tasks["aside"] = Task(7)
    found = schedule(tasks)
    observe([found.makespan, found.order[:3], found.slack["aside"], len(found.critical_path)])
    observe([found.start["t12345"], found.finish["t19999"], found.critical_path[-1]])
    tasks[names[0]] = Task(5, (names[-1],))
    try:
        schedule(tasks)
    except CycleError as error:
        observe([len(error.cycle), error.cycle[0], error.cycle[1], error.cycle[-1]])


def test_wide_workflow(observe):
    tasks = {"start": Task(1), "stop": Task(1, tuple(f"w{number}" for number in range(15_000)))}
    for number in range(15_000):
        tasks[f"w{number}"] = Task((number * 7919) % 10_007, ("start",))
    found = schedule(tasks)
    observe([found.makespan, list(found.critical_path), found.order[:4], found.order[-1]])
    observe([sum(found.slack.values()), found.start["stop"]])
