"""A fidelity report in sentences, and as rows of figures side by side."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from assay.domain.stats import EquivalenceResult, EquivalenceVerdict, evidence, lead, plural, points, sentence
from assay.engine.fidelity.facts import Mean, ModelFacts
from assay.engine.fidelity.report import Candidate, FidelityReport
from assay.engine.gate.reports import markdown_cell

UNKNOWN = "-"
_SHOWN_NAMES = 2
_LONGEST_NAME = 24


def headline(report: FidelityReport) -> str:
    """For example "1 of 2 candidates is worse than vllm/model"."""
    name, count = report.reference.model, len(report.candidates)
    verdicts = Counter(one.result.verdict for one in report.candidates)
    match report.verdict:
        case None:
            return f"Only {name} was asked"
        case EquivalenceVerdict.EQUIVALENT:
            said = f"{_of(count, count)} equivalent to {name} within {_margin(report)}"
        case EquivalenceVerdict.WORSE:
            said = f"{_of(verdicts[EquivalenceVerdict.WORSE], count)} worse than {name}"
        case EquivalenceVerdict.BETTER:
            better = _of(verdicts[EquivalenceVerdict.BETTER], count)
            said = f"{better} better than {name}, and so not the same model"
        case EquivalenceVerdict.INCONCLUSIVE:
            unknown = _of(verdicts[EquivalenceVerdict.INCONCLUSIVE], count)
            said = f"not enough items to tell whether {unknown} equivalent to {name}"
    return said[0].upper() + said[1:]


def _of(some: int, count: int) -> str:
    if count == 1:
        return "the candidate is"
    return f"{some} of {count} candidates {'is' if some == 1 else 'are'}"


def candidate_sentence(report: FidelityReport, candidate: Candidate) -> str:
    """The verdict with its evidence."""
    ours, theirs, result = candidate.facts.model, report.reference.model, candidate.result
    paired = result.paired
    if paired is None:
        return f"Nothing tells {ours} from {theirs}: no item has a score at both."
    said = f"{lead(paired, ours=ours)} ({evidence(paired)})"
    match result.verdict:
        case EquivalenceVerdict.EQUIVALENT:
            most = points(max(-result.limits.low, result.limits.high))
            return (
                f"{ours} is equivalent to {theirs} within {_margin(report)}: {said}, and at most"
                f" {most} points lie between them{_worst(result)}."
            )
        case EquivalenceVerdict.WORSE | EquivalenceVerdict.BETTER:
            return f"{sentence(paired, ours=ours, theirs=theirs)}{_missing_text(result)}"
        case EquivalenceVerdict.INCONCLUSIVE:
            return (
                f"Not enough items to tell whether {ours} is equivalent to {theirs} within {_margin(report)}:"
                f" {said}.{_missing_text(result)}{_more_text(report, result)}"
            )


def _margin(report: FidelityReport) -> str:
    return f"{100 * report.rule.margin:g} points"


def _missing_text(result: EquivalenceResult) -> str:
    if not result.missing:
        return ""
    return (
        f" With {plural(result.missing, 'missing score')} at the worst, the difference lies from"
        f" {points(result.limits.low)} to {points(result.limits.high)} points."
    )


def _worst(result: EquivalenceResult) -> str:
    return f" with {plural(result.missing, 'missing score')} at the worst" if result.missing else ""


def _more_text(report: FidelityReport, result: EquivalenceResult) -> str:
    needed = max(result.items_needed or 0, report.items_needed or 0)
    if needed > result.planned:
        return f" About {needed:,} items would do."
    if result.missing:
        return ""
    return " The difference may lie between 0 and the margin: ask more items, or widen the margin."


def notes(report: FidelityReport) -> list[str]:
    """What a reader of the verdicts has to know."""
    found = [_noise_note(report)]
    if report.items_needed is not None:
        found.append(
            f"{report.items_needed:,} items find a loss of {_margin(report)}, or show that there is none,"
            f" in {100 * report.rule.power:g} % of cases; {report.items:,} were asked."
        )
    if report.temperature != 0:
        found.append("Divergence is not given: it says something only of answers at temperature 0.")
    if not report.state.is_final:
        found.append(f"The run {report.state.clause}: what it has not asked yet counts as missing.")
    found += [
        f"{facts.model} failed on {error}"
        for facts in (report.reference, *(one.facts for one in report.candidates))
        for error in facts.errors
    ]
    return found


def _noise_note(report: FidelityReport) -> str:
    noise, own = report.noise, report.own
    if noise is None or own is None or own.paired is None:
        return "The reference was asked once, so nothing is known of its own noise: ask each item twice."
    flips = f"on {100 * noise.flip_rate:.1f} % of {plural(noise.items, 'item')}"
    return (
        f"Noise floor: asked again, {report.reference.model} scores otherwise {flips}, and"
        f" {points(abs(own.paired.difference))} points apart overall; by chance, two passes differ by up to"
        f" {points(noise.noise_floor)} points."
    )


Row = tuple[str, Callable[[ModelFacts], str]]


def rows(report: FidelityReport) -> Sequence[Row]:
    """Each with its name; those that no model has anything for are left out."""
    everyone = [report.reference, *(one.facts for one in report.candidates)]
    return [row for row in _ROWS if any(row[1](one) not in {UNKNOWN, ""} for one in everyone)]


def share(count: int, whole: int) -> str:
    return f"{100 * count / whole:.1f} %" if whole else UNKNOWN


def _mean(found: Mean | None, *, digits: int = 0) -> str:
    return UNKNOWN if found is None else f"{found.value:,.{digits}f}"


def _percent(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.1f} %"


def _identical(facts: ModelFacts) -> str:
    found = facts.divergence
    return UNKNOWN if found is None else share(found.identical, found.pairs)


def _agreeing(facts: ModelFacts) -> str:
    found = facts.divergence
    if found is None or found.median_chars is None:
        return UNKNOWN
    return f"{found.median_chars:,.0f} chars"


def _counts(counts: Mapping[str, int]) -> str:
    if len(counts) == 1:
        return _short(next(iter(counts)))
    shown = [f"{_short(name)} {count:,}" for name, count in list(counts.items())[:_SHOWN_NAMES]]
    more = sum(list(counts.values())[_SHOWN_NAMES:])
    return ", ".join([*shown, f"other {more:,}"] if more else shown) or UNKNOWN


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


_ROWS: Sequence[Row] = (
    ("score", lambda one: _percent(None if one.score is None else one.score.value)),
    ("tool-call accuracy", lambda one: _percent(None if one.tool_calls is None else one.tool_calls.value)),
    ("truncated", lambda one: share(one.cut, one.answered)),
    ("refused", lambda one: share(one.refused, one.answered)),
    ("missing", lambda one: share(one.missing, one.planned)),
    ("finish reasons", lambda one: _counts(one.finish_reasons)),
    ("tokens in", lambda one: _mean(one.input_tokens)),
    ("same tokens in", lambda one: _percent(None if one.same_input is None else one.same_input.value)),
    ("tokens out", lambda one: _mean(one.output_tokens)),
    ("reasoning tokens", lambda one: _mean(one.reasoning_tokens)),
    ("identical answers", _identical),
    ("others agree for", _agreeing),
    ("reported model", lambda one: _counts(one.served_models)),
    ("system fingerprint", lambda one: _counts(one.system_fingerprints)),
    ("endpoint", lambda one: one.endpoint or UNKNOWN),
)


def markdown(report: FidelityReport) -> str:
    models = [report.reference, *(one.facts for one in report.candidates)]
    lines = [
        f"## Assay fidelity: {headline(report)}",
        "",
        _asked(report),
        "",
        *(
            f"- **{one.result.verdict}**: {markdown_cell(candidate_sentence(report, one))}"
            for one in report.candidates
        ),
        "",
        f"| | {' | '.join(markdown_cell(one.model) for one in models)} |",
        f"|---{'|---' * len(models)}|",
    ]
    lines += [
        f"| {name} | {' | '.join(markdown_cell(value(one)) for one in models)} |"
        for name, value in rows(report)
    ]
    lines += ["", *(f"- {markdown_cell(note)}" for note in notes(report))]
    return "\n".join(lines) + "\n"


def _asked(report: FidelityReport) -> str:
    what = f"{plural(report.items, 'item')} of {', '.join(report.benchmarks)}"
    return f"Run `{report.run_id}`: {what}, {plural(report.samples, 'sample')} of each from each model."
