from datetime import date, datetime, timedelta

from rooms.intervals import Interval, conflicts, overlaps


def overlapping(pairs):
    """The pairs, by their ends, that are said to overlap."""
    found = []
    for (start, end), (other_start, other_end) in pairs:
        if overlaps(Interval(start, end), Interval(other_start, other_end)):
            found.append([start, end, other_start, other_end])
    return found


def test_touching_ends(observe):
    observe(
        overlapping(
            [
                ((9, 10), (10, 11)),
                ((10, 11), (9, 10)),
                ((-4, -1), (-1, 6)),
                ((9, 11), (10, 12)),
                ((0, 1), (1, 1.5)),
                ((10, 12), (9, 11)),
            ]
        )
    )


def test_one_inside_the_other(observe):
    observe(
        overlapping(
            [
                ((8, 12), (9, 10)),
                ((9, 10), (8, 12)),
                ((2, 7), (2, 4)),
                ((2, 7), (5, 7)),
                ((5, 7), (2, 7)),
                ((3, 4), (3, 4)),
            ]
        )
    )


def test_apart(observe):
    observe(
        overlapping(
            [
                ((1, 2), (5, 9)),
                ((5, 9), (1, 2)),
                ((-9, -5), (-3, 0)),
                ((4.25, 6.5), (6.25, 8.0)),
                ((4.25, 6.0), (6.25, 8.0)),
            ]
        )
    )


def test_empty_intervals(observe):
    observe(
        overlapping(
            [
                ((5, 5), (3, 8)),
                ((3, 8), (5, 5)),
                ((5, 5), (5, 5)),
                ((5, 5), (5, 6)),
                ((4, 5), (5, 5)),
                ((4, 6), (5, 7)),
                ((-3, 2), (1, 9)),
            ]
        )
    )
    observe(len(conflicts([Interval(0, 0), Interval(0, 30), Interval(7, 7)], Interval(0, 9))))


def test_every_small_pair(observe):
    intervals = [(start, end) for start in range(7) for end in range(start, 7)]
    pairs = [(one, other) for one in intervals for other in intervals]
    found = overlapping(pairs)
    observe(len(found))
    observe(sum((1 + a) * (2 + b) * (3 + c) * (5 + d) for a, b, c, d in found))
    turned = overlapping([(other, one) for one, other in pairs])
    observe(sum((1 + a) * (2 + b) * (3 + c) * (5 + d) for a, b, c, d in turned))


def test_dates_and_texts(observe):
    may = [Interval(date(2024, 5, day), date(2024, 5, day + 3)) for day in (1, 4, 6, 7)]
    found = conflicts(may, Interval(date(2024, 5, 4), date(2024, 5, 7)))
    observe([one.start.isoformat() for one in found])
    noon = datetime(2024, 2, 29, 12)
    hours = [
        Interval(noon + timedelta(hours=n), noon + timedelta(hours=n + 2)) for n in (-4, -2, -1, 0)
    ]
    observe(
        [one.end.isoformat() for one in conflicts(hours, Interval(noon - timedelta(hours=2), noon))]
    )
    observe(
        overlapping(
            [(("09:00", "10:30"), ("10:30", "11:00")), (("09:00", "10:31"), ("10:30", "11:00"))]
        )
    )


def test_conflicts_keep_their_order(observe):
    booked = [Interval(13, 15), Interval(9, 10), Interval(20, 21), Interval(8, 18), Interval(9, 10)]
    found = conflicts(iter(booked), Interval(9, 14))
    observe([[one.start, one.end] for one in found])
    observe([type(found).__name__, len(booked)])


def test_result_is_a_bool(observe):
    results = [overlaps(Interval(1, 4), Interval(start, start + 2)) for start in (0, 3, 4)]
    observe([f"{type(one).__name__} {one!r}" for one in results])


def test_end_before_start(observe):
    observe.raises(ValueError, Interval, 4, 3)
    same = Interval(3, 3)
    observe([same.start, same.end, repr(Interval(2, 6)), Interval(2, 6).__eq__(Interval(2, 6))])
