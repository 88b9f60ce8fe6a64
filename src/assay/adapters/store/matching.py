"""The filters of the ports in plain Python, for the store in memory."""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from assay.adapters.store.rules import SEARCHED_CHARACTERS, folded
from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation, Run, RunId
from assay.engine.stores.attempts import AttemptFilter, AttemptOrder
from assay.engine.stores.runs import RunFilter, RunOrder

_MILLISECOND = timedelta(milliseconds=1)


def is_wanted_run(run: Run, evaluations: Iterable[Evaluation], wanted: RunFilter) -> bool:
    own = tuple(evaluations)
    return (
        wanted.state in (None, run.state)
        and (not wanted.states or run.state in wanted.states)
        and wanted.owner in (None, run.owner)
        and (wanted.model is None or any(_contains(one.model, wanted.model) for one in own))
        and (wanted.exact_model is None or any(one.model == wanted.exact_model for one in own))
        and (wanted.benchmark is None or any(one.benchmark == wanted.benchmark for one in own))
        and (
            wanted.benchmark_prefix is None
            or any(one.benchmark.startswith(wanted.benchmark_prefix) for one in own)
        )
    )


def runs_in_order(
    runs: Iterable[Run], evaluations: Callable[[RunId], Sequence[Evaluation]], order: RunOrder
) -> list[Run]:
    newest = sorted(runs, key=lambda run: (run.created_at, run.id), reverse=order != "created")
    name = order.removeprefix("-")
    if name == "created":
        return newest
    sign = -1 if order.startswith("-") else 1

    def rank(run: Run) -> tuple[bool, float]:
        value = _figure(run, evaluations(run.id), name)
        return (True, 0.0) if value is None else (False, sign * value)

    return sorted(newest, key=rank)


def _figure(run: Run, evaluations: Sequence[Evaluation], name: str) -> float | None:
    if name == "score":
        scores = [one.summary.score.value for one in evaluations if one.summary and one.summary.score]
        return max(scores, default=None)
    if name == "cost":
        costs = [one.summary.cost_usd if one.summary else None for one in evaluations]
        known = [float(cost) for cost in costs if cost is not None]
        return sum(known) if known and len(known) == len(costs) else None
    if run.started_at is None or run.finished_at is None:
        return None
    return (run.finished_at - run.started_at) / _MILLISECOND


def is_wanted_attempt(attempt: Attempt, wanted: AttemptFilter) -> bool:
    if wanted.outcomes and attempt.outcome not in wanted.outcomes:
        return False
    if wanted.items and attempt.item_id not in wanted.items:
        return False
    if wanted.search is None:
        return True
    answer = attempt.answer if len(attempt.answer) <= SEARCHED_CHARACTERS else None
    searched = attempt.item_id, attempt.extracted, attempt.expected, answer
    return any(_contains(text, wanted.search) for text in searched if text is not None)


def in_order(attempts: Iterable[Attempt], order: AttemptOrder) -> list[Attempt]:
    by_key = sorted(attempts, key=lambda attempt: attempt.key)
    if order == "item":
        return by_key
    sign = -1 if order.startswith("-") else 1
    figure = _score if order in {"score", "-score"} else _duration_ms

    def rank(attempt: Attempt) -> tuple[bool, float]:
        value = figure(attempt)
        return (True, 0.0) if value is None else (False, sign * value)

    return sorted(by_key, key=rank)


def _score(attempt: Attempt) -> float | None:
    return attempt.score


def _duration_ms(attempt: Attempt) -> float:
    if attempt.timing is not None:
        return attempt.timing.duration_ms
    return (attempt.finished_at - attempt.started_at) / _MILLISECOND


def _contains(text: str, part: str) -> bool:
    return folded(part) in folded(text)
