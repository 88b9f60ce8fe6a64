"""Grades answers that were made elsewhere, with the code a run uses."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Item, ItemId
from assay.domain.errors import AttemptError
from assay.domain.messages import Completion
from assay.domain.run import EvaluationId
from assay.engine.grading.grade import AttemptStart, Grader, ended_attempt, verdict, with_ledger
from assay.engine.judging.judges import Ledger
from assay.engine.ports import Clock


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to one item; several to the same item are its samples, in order.

    `judge_reply` is what a judge said of it elsewhere: it is read in place of asking one.
    """

    item: Item
    completion: Completion
    judge_reply: str | None = None


GraderOf = Callable[[Answer], Grader]


async def graded(
    grader_of: GraderOf, answers: Iterable[Answer], *, clock: Clock, at_once: int = 1
) -> AsyncIterator[Attempt]:
    """One attempt per answer and in their order, as a run would have stored it."""
    seen: Counter[ItemId] = Counter()
    under_way: deque[asyncio.Task[Attempt]] = deque()
    try:
        for answer in answers:
            sample = seen[answer.item.id]
            seen[answer.item.id] += 1
            grading = _graded(grader_of(answer), answer, sample, clock)
            if at_once == 1:
                yield await grading
                continue
            under_way.append(asyncio.create_task(grading))
            if len(under_way) >= at_once:
                yield await under_way.popleft()
        while under_way:
            yield await under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()


async def _graded(grader: Grader, answer: Answer, sample: int, clock: Clock) -> Attempt:
    start = AttemptStart(EvaluationId(""), answer.item, sample, clock.now())
    ledger = Ledger()
    try:
        ending = await verdict(grader, answer.item, answer.completion, ledger=ledger)
    except AttemptError as error:
        ending = error
    attempt = ended_attempt(start, ending, finished_at=clock.now(), completion=answer.completion)
    return with_ledger(attempt, ledger) if ledger.calls else attempt


def most_samples(answers: Sequence[Answer]) -> int:
    return max(Counter(answer.item.id for answer in answers).values(), default=1)
