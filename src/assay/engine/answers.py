"""Grades answers that were made elsewhere, with the code a run uses."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Benchmark, Item, ItemId, Services
from assay.domain.errors import AttemptError
from assay.domain.messages import Completion
from assay.domain.run import EvaluationId
from assay.engine.grade import AttemptStart, DirectGrader, ended_attempt, verdict
from assay.engine.ports import Clock


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to one item; several to the same item are its samples, in order."""

    item: Item
    completion: Completion


async def graded(benchmark: Benchmark, answers: Iterable[Answer], *, clock: Clock) -> AsyncIterator[Attempt]:
    """One attempt per answer, as a run would have stored it."""
    grader = DirectGrader(benchmark, Services())
    seen: Counter[ItemId] = Counter()
    for answer in answers:
        sample = seen[answer.item.id]
        seen[answer.item.id] += 1
        yield await _graded(grader, answer, sample, clock)


async def _graded(grader: DirectGrader, answer: Answer, sample: int, clock: Clock) -> Attempt:
    start = AttemptStart(EvaluationId(""), answer.item, sample, clock.now())
    try:
        ending = await verdict(grader, answer.item, answer.completion)
    except AttemptError as error:
        ending = error
    return ended_attempt(start, ending, finished_at=clock.now(), completion=answer.completion)


def most_samples(answers: Sequence[Answer]) -> int:
    return max(Counter(answer.item.id for answer in answers).values(), default=1)
