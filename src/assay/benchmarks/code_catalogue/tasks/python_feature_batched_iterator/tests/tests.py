from batching import batched


class Source:
    """An iterator that counts how often it was asked, and goes on once after its end."""

    def __init__(self, *items):
        self.items = list(items)
        self.later = ["after", "the", "end"]
        self.asked = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.asked += 1
        if not self.items:
            self.items, self.later = self.later, []
            raise StopIteration
        return self.items.pop(0)


def drained(batches):
    """All batches, and the name of the error that came after them."""
    found = []
    try:
        for batch in batches:
            found.append(batch)
    except Exception as error:
        found.append(type(error).__name__)
    return found


def test_batches_in_order(observe):
    observe(list(batched([5, 3, 8, 1, 9, 2, 7], 3)))
    observe(list(batched("interval", 4)))
    observe([list(batched(range(4), 1)), list(batched(range(4), 9)), list(batched([], 3))])
    observe([type(one).__name__ for one in batched(range(5), 2)])


def test_lists(observe):
    found = list(batched("python", 4, container=list))
    observe([[type(one).__name__, one] for one in found])
    kept = []
    for batch in batched(range(7), 3, container=list):
        batch.insert(0, "seen")
        kept.append(batch)
    observe(kept)
    observe([[type(one).__name__, *one] for one in batched(range(3), 2, container=tuple)])


def test_nothing_is_read_ahead(observe):
    source = Source(*range(20, 40))
    batches = batched(source, 4)
    asked = [source.asked]
    for _ in range(3):
        asked.append([next(batches), source.asked])
    observe(asked)
    source = Source("a", "b", "c", "d")
    strict = batched(source, 2, strict=True)
    observe([next(strict), source.asked, next(strict), source.asked])


def endless(start, step):
    """Numbers without an end; whoever reads far ahead gets an error instead of all memory."""
    for number in range(start, start + 10_000 * step, step):
        yield number
    raise OverflowError("read far ahead")


def test_infinite_iterables(observe):
    batches = batched(endless(10, 5), 3, strict=True, container=list)
    observe([next(batches) for _ in range(4)])
    observe([iter(batches) is batches, next(batches)])


def test_strict(observe):
    observe(drained(batched(range(9), 3, strict=True)))
    observe(drained(batched(range(8), 3, strict=True)))
    observe(drained(batched("xy", 5, strict=True, container=list)))
    observe([drained(batched("", 2, strict=True)), drained(batched("no", 3, strict=False))])


def test_strict_ends_after_its_error(observe):
    source = Source(1, 2, 3, 4, 5)
    batches = batched(source, 2, strict=True)
    observe([next(batches), next(batches)])
    observe.raises(ValueError, next, batches)
    observe.raises(StopIteration, next, batches)
    observe([source.asked, list(batches)])


def test_ended_source_is_not_asked_again(observe):
    source = Source(1, 2, 3, 4, 5)
    batches = batched(source, 3)
    observe(
        [
            next(batches),
            next(batches),
            next(batches, "no more"),
            next(batches, "no more"),
            source.asked,
        ]
    )
    source = Source(1, 2, 3, 4)
    batches = batched(source, 2, container=list)
    observe([list(batches), list(batches), source.asked])


def test_items_of_any_kind(observe):
    observe(list(batched([None, 0, "", None, False, [], None], 3)))
    observe(list(batched([None, None, 7, 0], 2, strict=True, container=list)))
    observe(list(batched({"one": 1, "two": 2, "three": 3}, 2)))


def test_errors_of_the_iterable(observe):
    def rows():
        yield "first"
        yield "second"
        yield "third"
        raise OverflowError("row 4 is too long")

    batches = batched(rows(), 2, strict=True)
    observe(next(batches))
    try:
        observe(next(batches))
    except Exception as error:
        observe(f"{type(error).__name__}: {error}")


def outcome(*arguments, **options):
    """What the call itself does; no batch is asked for."""
    try:
        batched(*arguments, **options)
    except Exception as error:
        return type(error).__name__
    return f"a call with size {arguments[1]!r} is accepted"


def test_arguments_are_checked_at_once(observe):
    observe([outcome("abc", size) for size in (0, -2, 1, 3, 10**9)])
    observe([outcome("abc", size) for size in (True, False, 2.0, "2", None)])
    observe([outcome(items, 6) for items in (5, None, object(), iter([]), {1: 2})])
    observe([outcome("abc", 8, container=one) for one in (set, str, None, list, tuple)])


def test_call_reads_nothing(observe):
    source = Source("x", "y", "z")
    batches = batched(source, 2, strict=False, container=list)
    observe([source.asked, list(source.items)])
    observe([list(batches), source.asked])
