"""Decides pass, regression or inconclusive, for each rule and for the whole run."""

from collections.abc import Iterator, Sequence

from assay.domain.fingerprint import differences
from assay.domain.stats import PairedResult, Verdict, holm, paired_difference, sentence
from assay.engine.exports.reading import Document, inner, integer, number
from assay.engine.gate.evaluations import GateEvaluation
from assay.engine.gate.policy import Policy, Rules
from assay.engine.gate.rulings import Decision, RuleResult
from assay.engine.gate.stopped import stopped_drop, stopped_threshold

_Pair = tuple[GateEvaluation, GateEvaluation]


def overall(results: Sequence[RuleResult]) -> Decision:
    """A regression outweighs everything, an inconclusive result a pass; no results are inconclusive."""
    decisions = {one.decision for one in results}
    if Decision.REGRESSION in decisions:
        return Decision.REGRESSION
    return Decision.PASS if decisions == {Decision.PASS} else Decision.INCONCLUSIVE


def decide(
    current: Sequence[GateEvaluation],
    baseline: Sequence[GateEvaluation],
    pairs: Sequence[_Pair],
    policy: Policy,
) -> list[RuleResult]:
    required = policy.required or tuple(dict.fromkeys(one.benchmark for one in baseline))
    present = {one.benchmark for one in current}
    results = [
        RuleResult(name, "", "present", Decision.INCONCLUSIVE, "the run has no evaluation of it")
        for name in required
        if name not in present
    ]
    for (ours, base), difference in zip(pairs, _differences(pairs, policy), strict=True):
        rules = policy.rules(ours.benchmark)
        if ours.first:
            results.append(stopped_drop(ours, base, rules, comparisons=len(pairs)))
        else:
            results.append(_drop(ours, base, difference, rules))
    for one in current:
        results += _without_baseline(one, policy.rules(one.benchmark))
    return results


def _differences(pairs: Sequence[_Pair], policy: Policy) -> list[PairedResult | None]:
    """Paired by item; p-values are adjusted (Holm) for the number of benchmarks compared."""
    found = [_difference(ours, base, policy.rules(ours.benchmark)) for ours, base in pairs]
    known = [one for one in found if one is not None]
    adjusted = iter(holm([one.p_value for one in known]) if len(known) > 1 else ())
    if len(known) < 2:  # noqa: PLR2004 # nothing to adjust for
        return found
    return [None if one is None else one.adjusted(next(adjusted)) for one in found]


def _difference(ours: GateEvaluation, base: GateEvaluation, rules: Rules) -> PairedResult | None:
    shared = sorted(ours.scores.keys() & base.scores.keys())
    if not shared:
        return None
    margin = rules.max_drop or 1e-9
    return paired_difference([(ours.scores[item], base.scores[item]) for item in shared], margin=margin)


def _drop(
    ours: GateEvaluation, base: GateEvaluation, result: PairedResult | None, rules: Rules
) -> RuleResult:
    def rule_result(decision: Decision, reason: str) -> RuleResult:
        return RuleResult(ours.benchmark, ours.model, "max_drop", decision, reason)

    differing = differences(ours.fingerprint, base.fingerprint)
    if differing:
        reason = f"the evaluations cannot be compared: {', '.join(differing)} differ"
        return rule_result(Decision.INCONCLUSIVE, reason)
    if result is None:
        return rule_result(Decision.INCONCLUSIVE, "no item was scored in both runs")
    is_same_model = ours.model == base.model
    compared = sentence(
        result,
        ours=f"{ours.model} (now)" if is_same_model else ours.model,
        theirs=f"{base.model} (baseline)" if is_same_model else base.model,
    )
    reason = f"{compared} A drop of up to {100 * rules.max_drop:g} points is tolerated."
    if result.verdict is Verdict.WORSE and result.interval.high < -rules.max_drop:
        return rule_result(Decision.REGRESSION, reason)
    if result.interval.low >= -rules.max_drop:
        return rule_result(Decision.PASS, reason)
    return rule_result(Decision.INCONCLUSIVE, reason)


def _without_baseline(one: GateEvaluation, rules: Rules) -> Iterator[RuleResult]:
    def rule_result(rule: str, decision: Decision, reason: str) -> RuleResult:
        return RuleResult(one.benchmark, one.model, rule, decision, reason)

    if not one.is_complete:
        reason = f"the evaluation is {one.state}: its figures cover only a part of it"
        yield rule_result("whole", Decision.INCONCLUSIVE, reason)
    if rules.min_score is not None:
        yield rule_result("min_score", *_min_score(one.summary, rules.min_score))
    if rules.threshold is not None:
        decided = stopped_threshold if one.first else _threshold
        yield rule_result("threshold", *decided(one.summary, rules.threshold))
    if rules.min_scored is not None:
        yield rule_result("min_scored", *_min_scored(one.summary, rules.min_scored))
    if rules.max_cost_usd is not None:
        yield rule_result("max_cost_usd", *_max_value(_cost_usd(one.summary), rules.max_cost_usd, "USD"))
    if rules.max_ttft_p90_ms is not None:
        yield rule_result(
            "max_ttft_p90_ms", *_max_value(_ttft_p90_ms(one.summary), rules.max_ttft_p90_ms, "ms")
        )


def _min_score(summary: Document, minimum: float) -> tuple[Decision, str]:
    if summary.get("score") is None:
        return Decision.INCONCLUSIVE, "there is no score"
    score = inner(summary, "score")
    value = number(score, "value") or 0.0
    interval = inner(score, "interval") if score.get("interval") else {"low": value, "high": value}
    low, high = number(interval, "low") or 0.0, number(interval, "high") or 0.0
    stated = f"score {100 * value:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
    text = f"{stated}; the policy requires at least {100 * minimum:g} %"
    if low >= minimum:
        return Decision.PASS, text
    return (Decision.REGRESSION if high < minimum else Decision.INCONCLUSIVE), text


def _threshold(summary: Document, threshold: float) -> tuple[Decision, str]:
    if summary.get("score") is None:
        return Decision.INCONCLUSIVE, "there is no score"
    value = number(inner(summary, "score"), "value") or 0.0
    text = f"score {100 * value:.1f} %; the threshold is {100 * threshold:g} %"
    return (Decision.PASS if value >= threshold else Decision.REGRESSION), text


def _min_scored(summary: Document, minimum: float) -> tuple[Decision, str]:
    scored, total = integer(summary, "scored"), integer(summary, "total")
    text = f"{scored:,} of {total:,} attempts have a verdict; the policy requires {100 * minimum:g} %"
    return (Decision.PASS if total and scored / total >= minimum else Decision.INCONCLUSIVE), text


def _max_value(value: float | None, maximum: float, unit: str) -> tuple[Decision, str]:
    if value is None:
        return Decision.INCONCLUSIVE, f"unknown; the policy allows at most {maximum:g} {unit}"
    text = f"{value:g} {unit}; the policy allows at most {maximum:g} {unit}"
    return (Decision.PASS if value <= maximum else Decision.REGRESSION), text


def _cost_usd(summary: Document) -> float | None:
    cost = summary.get("cost_usd")
    return float(cost) if isinstance(cost, str) else None


def _ttft_p90_ms(summary: Document) -> float | None:
    latency = inner(summary, "latency")
    return number(inner(latency, "ttft_ms"), "p90") if "ttft_ms" in latency else None
