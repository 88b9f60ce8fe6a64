"""Counts and comparisons in plain words."""

from assay.domain.stats.paired import PairedResult, Verdict

_LEAST_SHOWN_P = 0.0001


def plural(count: int, noun: str) -> str:
    """The count with its noun: 1 item, 2 items."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def sentence(result: PairedResult, *, ours: str, theirs: str, benchmark: str | None = None) -> str:
    """Says whether ours is better, worse or tied, or that there are not enough items to tell."""
    where = f" on {benchmark}" if benchmark else ""
    match result.verdict:
        case Verdict.BETTER | Verdict.WORSE:
            size = f"{points(abs(result.difference))} points"
            return f"{ours} is {result.verdict} than {theirs}{where} by {size} ({evidence(result)})."
        case Verdict.TIED:
            return (
                f"{ours} and {theirs} are tied{where}: {lead(result, ours=ours)} ({evidence(result)}),"
                f" within {100 * result.margin:g} points either way."
            )
        case Verdict.INCONCLUSIVE:
            return (
                f"Not enough items to tell {ours} from {theirs}{where}:"
                f" {lead(result, ours=ours)} ({evidence(result)}); {_reach(result)}."
            )


def lead(result: PairedResult, *, ours: str) -> str:
    """Which of the two scored higher, and by how much."""
    if result.difference == 0:
        return "both scored the same"
    direction = "higher" if result.difference > 0 else "lower"
    return f"{ours} scored {points(abs(result.difference))} points {direction}"


def evidence(result: PairedResult) -> str:
    """The interval of the difference, the p-value and the number of items."""
    low, high = result.interval.low, result.interval.high
    if result.verdict is Verdict.WORSE:
        low, high = -high, -low
    p = _p_value(result.p_value) if result.adjusted_p is None else f"adjusted {_p_value(result.adjusted_p)}"
    level = f"{100 * result.interval.level:.3g} % interval"
    return f"{level} {points(low)} to {points(high)}, {p}, {_count(result)}"


def _count(result: PairedResult) -> str:
    if result.clusters is not None:
        return f"{plural(result.n, 'pair')} in {plural(result.clusters, 'group')}"
    return plural(result.n, "item")


def _reach(result: PairedResult) -> str:
    detectable = result.minimum_detectable_effect
    if detectable is None:
        return "so few cannot show any difference"
    return f"a difference of {points(detectable)} points or more would usually show"


def _p_value(p: float) -> str:
    return f"p < {_LEAST_SHOWN_P:.4f}" if p < _LEAST_SHOWN_P else f"p = {round(p, 4):g}"


def points(share: float) -> str:
    """A share in points of a hundred, to one decimal."""
    text = f"{100 * share:.1f}"
    return "0.0" if text == "-0.0" else text
