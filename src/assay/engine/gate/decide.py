"""Pass, regression or not enough evidence: rule by rule, and then for the whole run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.domain.fingerprint import differences
from assay.domain.stats import PairedResult, Verdict, holm, paired_difference, sentence
from assay.engine.exports.reading import Document, inner, number, whole
from assay.engine.gate.policy import Policy, Rules
from assay.engine.gate.sides import Side


class Decision(StrEnum):
    PASS = "pass"  # noqa: S105 # not a password
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one rule says of one evaluation, and why."""

    benchmark: str
    model: str
    rule: str
    decision: Decision
    reason: str


def overall(rulings: Sequence[Ruling]) -> Decision:
    """A regression decides; else any doubt does. Without any ruling there is nothing to pass on."""
    decisions = {one.decision for one in rulings}
    if Decision.REGRESSION in decisions:
        return Decision.REGRESSION
    return Decision.PASS if decisions == {Decision.PASS} else Decision.INCONCLUSIVE


def decide(
    ours: Sequence[Side], theirs: Sequence[Side], pairs: Sequence[tuple[Side, Side]], policy: Policy
) -> list[Ruling]:
    required = policy.required or tuple(dict.fromkeys(side.benchmark for side in theirs))
    present = {side.benchmark for side in ours}
    rulings = [
        Ruling(name, "", "present", Decision.INCONCLUSIVE, "the run has no evaluation of it")
        for name in required
        if name not in present
    ]
    for (mine, base), result in zip(pairs, _results(pairs, policy), strict=True):
        rulings.append(_drop(mine, base, result, policy.rules(mine.benchmark)))
    for side in ours:
        rulings += _alone(side, policy.rules(side.benchmark))
    return rulings


def _results(pairs: Sequence[tuple[Side, Side]], policy: Policy) -> list[PairedResult | None]:
    """Paired by item; p-values adjusted (Holm) over all benchmarks that are compared."""
    found = [_paired(mine, base, policy.rules(mine.benchmark)) for mine, base in pairs]
    known = [one for one in found if one is not None]
    adjusted = iter(holm([one.p_value for one in known]) if len(known) > 1 else ())
    if len(known) < 2:  # noqa: PLR2004 # nothing to adjust for
        return found
    return [None if one is None else one.adjusted(next(adjusted)) for one in found]


def _paired(mine: Side, base: Side, rules: Rules) -> PairedResult | None:
    shared = sorted(mine.scores.keys() & base.scores.keys())
    if not shared:
        return None
    margin = rules.max_drop or 1e-9
    return paired_difference([(mine.scores[item], base.scores[item]) for item in shared], margin=margin)


def _drop(mine: Side, base: Side, result: PairedResult | None, rules: Rules) -> Ruling:
    def ruling(decision: Decision, reason: str) -> Ruling:
        return Ruling(mine.benchmark, mine.model, "max_drop", decision, reason)

    unlike = differences(mine.fingerprint, base.fingerprint)
    if unlike:
        return ruling(Decision.INCONCLUSIVE, f"not like for like: {', '.join(unlike)} differ")
    if result is None:
        return ruling(Decision.INCONCLUSIVE, "no item was scored in both runs")
    ours = mine.model if mine.model != base.model else f"{mine.model} (now)"
    theirs = base.model if mine.model != base.model else f"{base.model} (baseline)"
    said = sentence(result, ours=ours, theirs=theirs)
    tolerated = f" A drop of up to {100 * rules.max_drop:g} points is tolerated."
    if result.verdict is Verdict.WORSE and result.interval.high < -rules.max_drop:
        return ruling(Decision.REGRESSION, said + tolerated)
    if result.interval.low >= -rules.max_drop:
        return ruling(Decision.PASS, said + tolerated)
    return ruling(Decision.INCONCLUSIVE, said + tolerated)


def _alone(side: Side, rules: Rules) -> Iterator[Ruling]:
    """Rules that need no baseline."""

    def ruling(rule: str, decision: Decision, reason: str) -> Ruling:
        return Ruling(side.benchmark, side.model, rule, decision, reason)

    if not side.is_whole:
        reason = f"the evaluation is {side.state}: its figures cover a part only"
        yield ruling("whole", Decision.INCONCLUSIVE, reason)
    if rules.min_score is not None:
        yield ruling("min_score", *_least_score(side.summary, rules.min_score))
    if rules.min_scored is not None:
        yield ruling("min_scored", *_least_scored(side.summary, rules.min_scored))
    if rules.max_cost_usd is not None:
        yield ruling("max_cost_usd", *_at_most(_cost_usd(side.summary), rules.max_cost_usd, "USD"))
    if rules.max_ttft_p90_ms is not None:
        yield ruling("max_ttft_p90_ms", *_at_most(_ttft_p90_ms(side.summary), rules.max_ttft_p90_ms, "ms"))


def _least_score(summary: Document, least: float) -> tuple[Decision, str]:
    if summary.get("score") is None:
        return Decision.INCONCLUSIVE, "there is no score"
    score = inner(summary, "score")
    value = number(score, "value") or 0.0
    interval = inner(score, "interval") if score.get("interval") else {"low": value, "high": value}
    low, high = number(interval, "low") or 0.0, number(interval, "high") or 0.0
    told = f"score {100 * value:.1f} % [{100 * low:.1f}, {100 * high:.1f}], at least {100 * least:g} % wanted"
    if low >= least:
        return Decision.PASS, told
    return (Decision.REGRESSION if high < least else Decision.INCONCLUSIVE), told


def _least_scored(summary: Document, least: float) -> tuple[Decision, str]:
    scored, total = whole(summary, "scored"), whole(summary, "total")
    told = f"{scored:,} of {total:,} attempts have a verdict, at least {100 * least:g} % wanted"
    return (Decision.PASS if total and scored / total >= least else Decision.INCONCLUSIVE), told


def _at_most(value: float | None, most: float, unit: str) -> tuple[Decision, str]:
    if value is None:
        return Decision.INCONCLUSIVE, f"unknown, at most {most:g} {unit} wanted"
    told = f"{value:g} {unit}, at most {most:g} {unit} wanted"
    return (Decision.PASS if value <= most else Decision.REGRESSION), told


def _cost_usd(summary: Document) -> float | None:
    cost = summary.get("cost_usd")
    return float(cost) if isinstance(cost, str) else None


def _ttft_p90_ms(summary: Document) -> float | None:
    latency = inner(summary, "latency")
    return number(inner(latency, "ttft_ms"), "p90") if "ttft_ms" in latency else None
