"""Rules for a run that its own scores have stopped: ordinary tests and bare scores say too much of it."""

from assay.domain.benchmark import ItemId
from assay.domain.fingerprint import differences
from assay.domain.stats import Population, UnitScores, paired_limits, paired_value, plural, points
from assay.engine.exports.reading import Document, inner, integer, number
from assay.engine.gate.evaluations import GateEvaluation
from assay.engine.gate.policy import Rules
from assay.engine.gate.rulings import Decision, RuleResult

_ALPHA = 0.05


def stopped_drop(ours: GateEvaluation, base: GateEvaluation, rules: Rules, *, comparisons: int) -> RuleResult:
    """By the confidence sequence of the difference over the items that were asked before it stopped."""

    def rule_result(decision: Decision, reason: str) -> RuleResult:
        return RuleResult(ours.benchmark, ours.model, "max_drop", decision, reason)

    differing = [name for name in differences(ours.fingerprint, base.fingerprint) if name != "stop"]
    if differing:
        reason = f"the evaluations cannot be compared: {', '.join(differing)} differ"
        return rule_result(Decision.INCONCLUSIVE, reason)
    units = integer(inner(ours.summary, "stopped"), "population")
    population = Population(units, units, 1)
    values = [paired_value(_unit(ours, item), _unit(base, item), population) for item in ours.first]
    [limits] = paired_limits(values, population, alpha=_ALPHA / max(1, comparisons), at=[len(values)])
    reason = (
        f"after {plural(len(values), 'item')} the difference from the baseline lies between"
        f" {points(limits.low)} and {points(limits.high)} points."
        f" A drop of up to {100 * rules.max_drop:g} points is tolerated."
    )
    if limits.high < -rules.max_drop:
        return rule_result(Decision.REGRESSION, reason)
    return rule_result(Decision.PASS if limits.low >= -rules.max_drop else Decision.INCONCLUSIVE, reason)


def _unit(one: GateEvaluation, item: ItemId) -> UnitScores:
    """An item that is not whole may be anything."""
    return UnitScores(() if item in one.partial or item not in one.scores else (one.scores[item],))


def stopped_threshold(summary: Document, threshold: float) -> tuple[Decision, str]:
    """By the interval that holds whenever a run stops; a bar at the threshold was decided by the run."""
    if summary.get("score") is None:
        return Decision.INCONCLUSIVE, "there is no score"
    interval = inner(inner(summary, "score"), "interval")
    low, high = number(interval, "low") or 0.0, number(interval, "high") or 0.0
    after = plural(integer(inner(summary, "stopped"), "after"), "item")
    text = (
        f"after {after} the score lies between {100 * low:.1f} and {100 * high:.1f} %;"
        f" the threshold is {100 * threshold:g} %"
    )
    if low >= threshold:
        return Decision.PASS, text
    return (Decision.REGRESSION if high < threshold else Decision.INCONCLUSIVE), text
