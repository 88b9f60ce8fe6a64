"""Bounds on how long a reply took and what it cost."""

from collections.abc import Mapping

from assay.domain.benchmark import Grade
from assay.domain.calls.messages import Completion
from assay.domain.errors import GraderError
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome


def grade_latency(options: Mapping[str, Json], completion: Completion) -> Grade:
    """By the whole reply, the first token, or both."""
    timing = completion.timing
    if timing is None:
        raise GraderError("the reply has no times, so no bound on them can be checked")
    times_s = {"max_s": timing.duration_ms, "max_ttft_s": timing.ttft_ms}
    faults: list[str] = []
    for name, most in options.items():
        took_ms = times_s.get(name)
        if took_ms is None:
            raise GraderError(f"the reply has no time for {name!r}, so the bound cannot be checked")
        if isinstance(most, int | float) and took_ms / 1000 > most:
            faults.append(f"{name}: it took {took_ms / 1000:.3f} s, more than {most:g} s")
    return _graded(faults, "within the bounds on time")


def grade_cost(options: Mapping[str, Json], completion: Completion) -> Grade:
    cost, most = completion.cost_usd, options["max_usd"]
    if cost is None:
        raise GraderError(
            "what the reply cost is unknown, so the bound cannot be checked: give the price of the model"
        )
    is_over = isinstance(most, int | float) and float(cost) > most
    return _graded([f"it cost {cost} USD, more than {most}"] if is_over else [], "within the bound on cost")


def _graded(faults: list[str], claim: str) -> Grade:
    if faults:
        return Grade(Outcome.INCORRECT, 0.0, explanation="; ".join(faults))
    return Grade(Outcome.CORRECT, 1.0, explanation=claim)
