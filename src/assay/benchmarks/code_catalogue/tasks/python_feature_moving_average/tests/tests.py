import re

from moving_average import MovingAverage, moving_average


def streamed(values, window):
    average = MovingAverage(window)
    return [average.add(value) for value in values]


def outcome(function, *arguments):
    """The result, or the name of the error with the index in its message."""
    try:
        result = function(*arguments)
    except Exception as error:
        return [type(error).__name__, *map(int, re.findall(r"index (\d+)", str(error)))]
    return result if isinstance(result, (list, float)) else type(result).__name__


def both(values, window):
    return [outcome(moving_average, values, window), outcome(streamed, values, window)]


def test_averages(observe):
    observe(moving_average([4, 8, 15, 16, 23, 42], 3))
    observe(moving_average([0.5, -1.5, 2.25, 7.0], 2))
    observe(moving_average(range(10, 0, -2), 5))


def test_prefix_is_none(observe):
    observe(
        [moving_average([3, 6, 9, 12], 4), moving_average([3, 6, 9], 4), moving_average([7], 2)]
    )
    observe([moving_average([], 3), moving_average([11, 12], 1), moving_average([1, 2, 6], 100)])


def test_averages_are_floats(observe):
    found = moving_average([2, 4, 6, 8], 2) + moving_average([5, 6], 1) + [MovingAverage(1).add(9)]
    observe([repr(one) for one in found])


def test_any_iterable(observe):
    observe(moving_average((n * n for n in range(6)), 3))
    values = [9, 1, 5, 7]
    observe([moving_average(iter(values), 2), values])
    observe(moving_average((4, 10), 2))


def test_missing_readings(observe):
    observe(moving_average([1, 2, None, 4, 5, 9, 10], 3))
    observe(moving_average([None, 3, None, None, 6, 8, None], 2))
    observe([moving_average([None, 12, None], 1), moving_average([None, None, 7], 2)])


def test_extreme_values_leave_no_trace(observe):
    observe(moving_average([1e16, 1, 1, 1, 3, 5], 2))
    observe(moving_average([0.5, 1e300, -1e300, 0.25, 0.75, 1.5], 3))
    drops = [0.1, 1e17, 0.2, -1e17, 0.3, 0.6, 0.9, 0.3]
    observe(both(drops, 3))


def test_long_series(observe):
    values = [((n * 7919) % 1000) / 8 for n in range(5000)]
    found = moving_average(values, 250)
    observe([len(found), found.count(None), found[249], found[2500], found[-1]])


def test_values_one_by_one(observe):
    average = MovingAverage(3)
    observe([average.add(value) for value in (6, 3, 9, None, 1, 2, 6, 0.5)])
    other = MovingAverage(1)
    observe([other.add(4), average.add(2.5), other.add(None), average.add(12), other.add(-8)])


def test_reset(observe):
    average = MovingAverage(2)
    first = [average.add(value) for value in (10, 20, 30)]
    average.reset()
    observe([first, [average.add(value) for value in (1, 3, None)]])
    observe(outcome(average.add, float("inf")))
    average.reset()
    observe([outcome(average.add, "1"), outcome(average.add, 5.5), outcome(average.add, 6)])


def test_rejected_values_are_not_added(observe):
    average = MovingAverage(2)
    found = [
        outcome(average.add, value) for value in (8, float("nan"), True, 4, "x", float("-inf"), 6)
    ]
    observe(found)


def test_values_are_checked(observe):
    observe(both([1, 2.5, float("nan"), 4], 2))
    observe(both([float("inf")], 5))
    observe(both([None, 3, "4"], 2))
    observe(both([3, 5, True, 2], 2))
    observe(both([0, 1, 2, 3, 2 + 1j], 3))
    observe(both([7, False], 1))


def test_window_is_checked(observe):
    for window in (0, -3, True, 2.0, "2", None):
        observe([outcome(MovingAverage, window), outcome(moving_average, [1, 2, 3], window)])
    read = []

    def values():
        read.append("read")
        yield "not a number"

    observe(
        [outcome(moving_average, values(), 0), read, outcome(moving_average, values(), 64), read]
    )
