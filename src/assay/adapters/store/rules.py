"""What every store keeps to, whatever holds the rows."""

import difflib
import string
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from assay.domain.attempt import Attempt
from assay.domain.dataset import DataSet
from assay.domain.errors import ConflictError, LimitReachedError, UnknownNameError
from assay.domain.registry import ListedModel, RegisteredModel
from assay.domain.run import Budget, Evaluation, Run, State
from assay.domain.summary import Summary
from assay.engine.execution.queue import must_be_priority
from assay.engine.stores.registry import Change
from assay.engine.stores.runs import Connections, NewRun, RunControl

MIN_PREFIX = 4
# Longer answers are not searched: they lie apart from the attempts, compressed.
SEARCHED_CHARACTERS = 512
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def merged(stored: Attempt | None, attempt: Attempt) -> Attempt:
    """What is stored after `attempt` came in: a verdict stays for good, missing data gives way.

    The calls of what gave way are kept, before those of the attempt, and so is what they cost. A call that is
    there already was given twice, with a batch that was stored a second time.
    """
    if stored is None:
        return attempt
    if stored.outcome.is_final:
        return stored
    added = tuple(call for call in attempt.calls if call not in stored.calls)
    calls = stored.calls + added
    if attempt.calls and not added:
        attempt = replace(attempt, cost_usd=stored.cost_usd, judge_cost_usd=stored.judge_cost_usd)
    else:
        attempt = replace(
            attempt,
            cost_usd=_sum_of_known(stored.cost_usd, attempt.cost_usd),
            judge_cost_usd=_sum_of_known(stored.judge_cost_usd, attempt.judge_cost_usd),
        )
    return replace(
        attempt, calls=calls, tries=max(attempt.tries, sum(call.role == "model" for call in calls))
    )


def _sum_of_known(before: Decimal | None, now: Decimal | None) -> Decimal | None:
    """A try that failed before it was charged has no cost, and takes none away."""
    if before is None or now is None:
        return now if before is None else before
    return before + now


def changed_run(run: Run, state: State, *, at: datetime, error: str | None) -> Run:
    run.state.require_transition(state)
    started_at, finished_at = _times(run, state, at)
    return replace(run, state=state, error=error, started_at=started_at, finished_at=finished_at)


def changed_evaluation(
    evaluation: Evaluation, state: State, *, at: datetime, error: str | None, summary: Summary | None
) -> Evaluation:
    """A summary stays until another is given."""
    evaluation.state.require_transition(state)
    started_at, finished_at = _times(evaluation, state, at)
    return replace(
        evaluation,
        state=state,
        error=error,
        summary=summary or evaluation.summary,
        started_at=started_at,
        finished_at=finished_at,
    )


def control_of(run: Run) -> RunControl:
    return RunControl(run.state, max_connections=run.spec.max_connections, priority=run.spec.priority)


def controlled_run(
    run: Run, *, priority: int | None, max_connections: Connections | None, budget: Budget | None
) -> Run:
    """None leaves a value as it is."""
    if priority is not None:
        must_be_priority(priority)
    spec = replace(
        run.spec,
        priority=run.spec.priority if priority is None else priority,
        max_connections=_connections(run.spec.max_connections, max_connections),
        budget=run.spec.budget if budget is None else budget,
    )
    return replace(run, spec=spec)


def _connections(now: int | None, wanted: Connections | None) -> int | None:
    if wanted == "default":
        return None
    return now if wanted is None else wanted


def must_be_same_request(new: NewRun, stored_hash: str | None) -> None:
    if new.request_hash != stored_hash:
        raise ConflictError(
            f"the idempotency key {new.idempotency_key!r} was used for another request; send a new key"
        )


def must_be_within_limit(new: NewRun, active: int) -> None:
    if new.most_active is not None and active >= new.most_active:
        raise LimitReachedError(
            f"{active} of your runs are queued, running or paused, and at most {new.most_active} may be;"
            " wait until one has ended, or cancel one"
        )


def unknown_user(user_id: str) -> UnknownNameError:
    return UnknownNameError("user", user_id, remedy="`assay users list` lists all")


def taken_user(user_id: str) -> ConflictError:
    return ConflictError(f"there is a user {user_id!r} already; remove it first, or choose another name")


def folded(text: str) -> str:
    """For comparing without case: of ASCII letters only, which is all that SQLite can do."""
    return text.translate(_LOWER)


def only_run_id(asked: str, candidates: Iterable[str]) -> str:
    """The id that was meant, given those that start so."""
    found = sorted(candidates)
    if asked in found:
        return asked
    if len(asked) < MIN_PREFIX:
        raise UnknownNameError("run", asked, remedy=f"give at least {MIN_PREFIX} characters of its id")
    if not found:
        raise UnknownNameError("run", asked, remedy="list the runs to see their ids")
    if len(found) > 1:
        raise UnknownNameError(
            "run", asked, nearest=tuple(found), remedy="several runs start so: give more characters"
        )
    return found[0]


def _times(thing: Run | Evaluation, state: State, at: datetime) -> tuple[datetime | None, datetime | None]:
    """The first start counts; an end lasts until the work is taken up again."""
    if state.is_final:
        return thing.started_at, at
    started_at = thing.started_at or at if state is State.RUNNING else thing.started_at
    return started_at, None


def is_same_dataset(stored: DataSet, given: DataSet) -> bool:
    return (stored.sha256, stored.grading, stored.graders) == (given.sha256, given.grading, given.graders)


def next_version(dataset: DataSet, highest: int | None) -> DataSet:
    return replace(dataset, version=(highest or 0) + 1)


def unknown_dataset(name: str, known: Iterable[str]) -> UnknownNameError:
    nearest = difflib.get_close_matches(name.partition("@")[0], sorted(known), n=3)
    return UnknownNameError(
        "data set", name, nearest=tuple(nearest), remedy="`assay datasets list` lists all"
    )


def followed(
    before: Iterable[RegisteredModel], listed: Sequence[ListedModel], *, at: datetime
) -> tuple[tuple[RegisteredModel, ...], Change]:
    """A provider's models after its catalogue was read; those that it lists no more stay, inactive."""
    known = {one.id: one for one in before}
    now = {one.id: one for one in listed}
    first_seen = {one.id: one.first_seen_at for one in known.values()}
    kept = (RegisteredModel(one, first_seen.get(one.id, at), at) for one in now.values())
    left = (
        replace(one, listed=replace(one.listed, is_active=False))
        for one in known.values()
        if one.id not in now
    )
    after = (*kept, *left)
    active = {one.id for one in after if one.listed.is_active}
    gone = sum(one.listed.is_active and one.id not in active for one in known.values())
    return after, Change(active=len(active), added=len(now.keys() - known.keys()), gone=gone)
