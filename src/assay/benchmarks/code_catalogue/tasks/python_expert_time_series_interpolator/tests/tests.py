from datetime import datetime, timedelta, timezone, tzinfo

from timeseries import Sample, resample

NOON = datetime(2024, 3, 10, 12)
MINUTE = timedelta(minutes=1)


def series(*pairs):
    """Samples so many minutes after noon."""
    return [(NOON + minutes * MINUTE, value) for minutes, value in pairs]


def shown(samples, **options):
    return [[one.time.isoformat(), one.value] for one in resample(samples, **options)]


def values(samples, **options):
    return [value for _, value in resample(samples, **options)]


def outcome(samples, **options):
    try:
        return shown(samples, **options)
    except Exception as error:
        return type(error).__name__


class Alpine(tzinfo):
    """An hour ahead of UTC, and two from 31 March 01:00 UTC until 27 October 01:00 UTC."""

    BEGIN = datetime(2024, 3, 31, 2)
    END = datetime(2024, 10, 27, 3)

    def utcoffset(self, moment):
        return timedelta(hours=2 if self._is_summer(moment) else 1)

    def dst(self, moment):
        return self.utcoffset(moment) - timedelta(hours=1)

    def tzname(self, moment):
        return "summer" if self._is_summer(moment) else "winter"

    def fromutc(self, moment):
        plain = moment.replace(tzinfo=None)
        is_summer = self.BEGIN - timedelta(hours=1) <= plain < self.END - timedelta(hours=2)
        local = moment + timedelta(hours=2 if is_summer else 1)
        is_second = self.END - timedelta(hours=2) <= plain < self.END - timedelta(hours=1)
        return local.replace(fold=int(is_second))

    def _is_summer(self, moment):
        face = moment.replace(tzinfo=None, fold=0)
        if self.END - timedelta(hours=1) <= face < self.END:
            return moment.fold == 0
        return self.BEGIN <= face < self.END


def test_linear(observe):
    samples = series((0, 10), (4, 18), (10, 3))
    observe(shown(samples, step=2 * MINUTE))
    observe(values(samples, step=MINUTE, start=NOON + 3 * MINUTE, end=NOON + 6 * MINUTE))


def test_forward_fill(observe):
    samples = series((0, 10), (4, 18), (9, -3.5))
    observe(shown(samples, step=3 * MINUTE, method="forward_fill"))
    observe(values(samples, step=2 * MINUTE, method="forward_fill", end=NOON + 14 * MINUTE))


def test_end_of_the_grid(observe):
    samples = series((0, 1), (10, 21))
    observe([one[0] for one in shown(samples, step=4 * MINUTE)])
    observe([one[0] for one in shown(samples, step=5 * MINUTE)])
    observe(shown(samples, step=11 * MINUTE))
    observe(shown(samples, step=MINUTE, start=NOON + 7 * MINUTE, end=NOON + 7 * MINUTE))
    observe(shown(samples, step=timedelta(seconds=250), start=NOON + timedelta(seconds=15)))


def test_values_of_the_grid(observe):
    samples = series((2, 8), (6, 16))
    options = {"start": NOON, "end": NOON + 9 * MINUTE, "step": MINUTE}
    observe(values(samples, **options))
    observe(values(samples, method="forward_fill", **options))
    observe(values(series((3, 5)), **options))
    observe(shown(series((3, 5)), step=MINUTE))

    observe([repr(one) for one in values(series((0, 3), (2, 7)), step=MINUTE)])
    observe(
        [repr(one) for one in values(series((0, 3), (2, 7)), step=MINUTE, method="forward_fill")]
    )
    found = resample(series((0, 3), (2, 7)), step=2 * MINUTE)
    observe([type(found).__name__, *[isinstance(one, Sample) for one in found], *found[1]._fields])


def test_order_and_duplicates(observe):
    samples = series((8, 4), (0, 0), (4, 100), (8, 12), (4, 6), (2, 1))
    copy = list(samples)
    observe(shown(samples, step=2 * MINUTE))
    observe(values(iter(samples), step=3 * MINUTE, method="forward_fill"))
    observe([samples == copy, len(samples), values(tuple(samples[::-1]), step=4 * MINUTE)])


def test_gaps(observe):
    samples = series((0, 10), (3, 16), (8, 6), (9, 7))
    for minutes in (0, 1, 3, 4, 5):
        observe(values(samples, step=MINUTE, max_gap=minutes * MINUTE))

    samples = series((0, 10), (3, 16), (8, 6))
    end = NOON + 12 * MINUTE
    for minutes in (0, 1, 2, 4):
        observe(
            values(samples, step=MINUTE, end=end, max_gap=minutes * MINUTE, method="forward_fill")
        )


def test_no_drift(observe):
    step = timedelta(milliseconds=100)
    samples = [(NOON, 0), (NOON + 3600 * 10 * step, 3600)]
    found = resample(samples, step=step)
    observe(
        [len(found), found[12345].time.isoformat(), found[-1].time.isoformat(), found[-1].value]
    )
    observe(sum(one.time.microsecond % 100_000 for one in found))
    step = timedelta(microseconds=333_333)
    found = resample(samples, step=step, start=NOON + timedelta(microseconds=1))
    observe([len(found), found[10_000].time.isoformat(), found[-1].time.isoformat()])


def test_zones(observe):
    tokyo, quito = timezone(timedelta(hours=9)), timezone(timedelta(hours=-5))
    samples = [
        (datetime(2024, 1, 1, 9, tzinfo=tokyo), 10),
        (datetime(2023, 12, 31, 21, tzinfo=quito), 40),
        (datetime(2024, 1, 1, 10, tzinfo=tokyo), 16),
        (datetime(2024, 1, 1, 1, tzinfo=timezone.utc), 20),
    ]
    observe(shown(samples, step=30 * MINUTE))
    observe(shown(samples, step=90 * MINUTE, start=datetime(2023, 12, 31, 20, tzinfo=quito)))


def test_daylight_saving(observe):
    zone = Alpine()
    samples = [
        (datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=zone), 40),
        (datetime(2024, 10, 27, 1, 30, tzinfo=zone), 0),
        (datetime(2024, 10, 27, 2, 30, tzinfo=zone), 20),
        (datetime(2024, 10, 27, 3, 30, tzinfo=zone), 0),
    ]
    observe(shown(samples, step=30 * MINUTE))
    observe(values(samples, step=45 * MINUTE, method="forward_fill", max_gap=30 * MINUTE))

    zone = Alpine()
    samples = [
        (datetime(2024, 3, 31, 1, tzinfo=zone), 5),
        (datetime(2024, 3, 31, 4, tzinfo=zone), 15),
    ]
    observe(shown(samples, step=60 * MINUTE))
    observe(values(samples, step=24 * MINUTE, max_gap=120 * MINUTE))
    end = datetime(2024, 3, 31, 5, tzinfo=zone)
    observe(shown(samples, step=100 * MINUTE, method="forward_fill", end=end))


def test_mixed_times(observe):
    aware = NOON.replace(tzinfo=timezone.utc)
    plain = series((0, 1), (2, 5))
    observe([outcome([*plain, (aware, 3)], step=MINUTE), outcome(plain, step=MINUTE, start=aware)])
    observe(
        [
            outcome([(aware, 3)], step=MINUTE, end=NOON),
            outcome([(aware, 3)], step=MINUTE, end=aware),
        ]
    )
    observe([outcome([], step=MINUTE, start=aware, end=NOON), outcome(plain, step=2 * MINUTE)])


def test_no_samples(observe):
    observe([outcome([], step=MINUTE), outcome(iter(()), step=MINUTE, start=NOON)])
    observe([outcome([], step=MINUTE, end=NOON, method="forward_fill")])
    observe(outcome([], step=2 * MINUTE, start=NOON, end=NOON + 5 * MINUTE))
    observe(outcome([], step=MINUTE, start=NOON, end=NOON, method="forward_fill"))


def test_wrong_parameters(observe):
    for samples in (series((0, 1), (2, 5)), []):
        observe([outcome(samples, step=step) for step in (timedelta(0), -MINUTE)])
        observe([outcome(samples, step=MINUTE, method=name) for name in ("cubic", "", "LINEAR")])
        observe(outcome(samples, step=MINUTE, max_gap=-MINUTE))
        observe(outcome(samples, step=MINUTE, start=NOON, end=NOON - MINUTE))
    observe(outcome(series((0, 1), (2, 5)), step=2 * MINUTE, max_gap=timedelta(0)))

    samples = series((4, 1), (8, 9))
    observe(outcome(samples, step=MINUTE, start=NOON + 9 * MINUTE))
    observe(outcome(samples, step=MINUTE, end=NOON + 3 * MINUTE))
    observe(outcome(samples, step=MINUTE, start=NOON + 8 * MINUTE))
    observe(outcome(samples, step=MINUTE, start=NOON, end=NOON + MINUTE))


def test_values_that_are_not_finite(observe):
    wrong = [float("nan"), float("inf"), float("-inf")]
    observe([outcome(series((0, 1), (2, one), (4, 5)), step=MINUTE) for one in wrong])
    observe(outcome(series((0, wrong[0]), (0, 2), (1, 3)), step=MINUTE))
    observe(outcome(series((0, 1e300), (2, -1e300)), step=MINUTE))


def test_many_samples(observe):
    count = 50_000
    samples = [(NOON + number * MINUTE, (number * 31) % 97) for number in range(count)]
    start, end = NOON + timedelta(seconds=15), NOON + (count - 1) * MINUTE
    found = values(samples, step=MINUTE, start=start, end=end)
    observe([len(found), round(sum(found), 3), found[777], found[-1]])
    found = values(samples, step=MINUTE, start=start, end=end, method="forward_fill")
    observe([len(found), sum(found), found[31_415]])
