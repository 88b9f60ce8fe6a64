"""Suites whose models are compared until it is decided: all of them in one run for each scope."""

from collections import defaultdict
from collections.abc import Sequence

from assay.domain.errors import InvalidValueError
from assay.domain.run import Evaluation, Run
from assay.domain.stopping import StopRule
from assay.engine.suites.matrix import Cell, Place, Stored
from assay.engine.suites.suite import Suite, SuiteModel


def require_one_run(rule: StopRule, models: Sequence[SuiteModel]) -> None:
    """Raises InvalidValueError where the models cannot be compared in one run."""
    rule.require_models(len(models))
    if rule.bar is not None:
        return
    first = models[0]
    if len({one.model for one in models}) < len(models) or any(
        one.generation != first.generation or dict(one.headers) != dict(first.headers) for one in models
    ):
        raise InvalidValueError(
            "compares the models within one run, so each may be there once and all need the same settings;"
            " a bar, as in 'score > 0.8', is for each model alone"
        )


def asked_together(suite: Suite, every: Sequence[Cell], found: Stored) -> Stored:
    """Without results of a comparison in which a model of the suite was missing."""
    if suite.stop is None or suite.stop.bar is not None:
        return found
    cells: dict[str, list[Place]] = defaultdict(list)
    for one in every:
        cells[one.benchmark.name].append(one.place)
    taken: dict[Place, Evaluation] = {}
    for places in cells.values():
        stored = {place: found.taken[place] for place in places if place in found.taken}
        if len(stored) == len(places) and len({one.run_id for one in stored.values()}) == 1:
            taken |= stored
    return Stored(taken, tuple(run for run in found.unfinished if _has_all(run, suite)))


def _has_all(run: Run, suite: Suite) -> bool:
    return set(run.spec.models) == {one.model for one in suite.models}
