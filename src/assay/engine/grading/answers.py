"""Grades answers that were produced elsewhere, with the code that a run uses."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.domain.attempt import Attempt
from assay.domain.benchmark import HasParts, Item, ItemId
from assay.domain.calls.messages import Completion
from assay.domain.errors import AttemptError
from assay.domain.run import EvaluationId
from assay.engine.grading.grade import AttemptStart, Grader, ended_attempt, verdict, with_judge_calls
from assay.engine.judging.judges import JudgeCalls
from assay.engine.ports import Clock


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to one item; several to the same item are its samples, in order.

    `judge_reply` is the reply of a judge that was asked elsewhere; it is parsed instead of asking one.
    """

    item: Item
    completion: Completion
    judge_reply: str | None = None


GraderOf = Callable[[Answer], Grader]


async def graded(
    grader_of: GraderOf, answers: Iterable[Answer], *, clock: Clock, at_once: int = 1
) -> AsyncIterator[Attempt]:
    """One attempt per answer, in order, as a run would have stored it."""
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
    judge_calls = JudgeCalls()
    try:
        ending = await verdict(grader, answer.item, answer.completion, judge_calls=judge_calls)
    except AttemptError as error:
        ending = error
    attempt = ended_attempt(start, ending, finished_at=clock.now(), completion=answer.completion)
    return with_judge_calls(attempt, judge_calls) if judge_calls.calls else attempt


def most_samples(answers: Sequence[Answer]) -> int:
    return max(Counter(answer.item.id for answer in answers).values(), default=1)


class PartedAnswers:
    """Puts answers together that come in parts; the n-th reply to a part belongs to the n-th sample."""

    def __init__(self, benchmark: HasParts, items: Sequence[Item]) -> None:
        self._benchmark = benchmark
        self._items = {item.id: item for item in items}
        self._owners = {part: item.id for item in items for part in benchmark.parts(item)}
        self._seen: Counter[str] = Counter()
        self._replies: dict[tuple[ItemId, int], dict[str, str]] = defaultdict(dict)

    def takes(self, part: str) -> bool:
        """Whether this is the id of a part; the id of an item that is its own only part is not."""
        return part in self._owners and part not in self._items

    def add(self, part: str, reply: str) -> None:
        self._replies[self._owners[part], self._seen[part]][part] = reply
        self._seen[part] += 1

    def answers(self) -> Iterator[Answer]:
        """One per item and sample, also if some of its parts have no reply."""
        for (item_id, _), replies in self._replies.items():
            item = self._items[item_id]
            yield Answer(item, Completion(self._benchmark.whole(item, replies)))
