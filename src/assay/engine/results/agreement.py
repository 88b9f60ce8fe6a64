"""How far models agree on the same items, whether or not anybody knows what is right."""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import partial
from hashlib import blake2b

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import Cue, ItemId, Panel
from assay.domain.calls.messages import Generation
from assay.domain.errors import GraderError
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.domain.stats import Estimate, score_estimate
from assay.engine.graders.exact import as_is, normalised
from assay.engine.graders.judge import JudgeQuestion, grade_by_judge, judge_prompt, word_verdict
from assay.engine.judging.judges import JudgeCalls, JudgeDirectory
from assay.engine.stores.attempts import AttemptStore

_JUDGING = Generation(temperature=0.0)
_QUESTION = """Two answers were given to the same question. Decide whether they say the same in substance:
the same conclusion, whatever the wording.

[Question]
{question}

[First answer]
{first}

[Second answer]
{second}

Reply with one word: SAME or DIFFERENT."""


class Likeness(StrEnum):
    """When two answers count as equal."""

    EXACT = "exact"
    NORMALISED = "normalised"


_NORMALISERS: Mapping[Likeness, Callable[[str], str]] = {
    Likeness.EXACT: as_is,
    Likeness.NORMALISED: normalised,
}


class Choice(StrEnum):
    ALL = "all"
    DIFFERENT = "different"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Over the items that both have answered."""

    ours: Evaluation
    theirs: Evaluation
    compared: int
    identical: int
    rate: Estimate | None


@dataclass(frozen=True, slots=True)
class Agreements:
    """First samples only. `likeness` of an item is None where fewer than two models have answered it."""

    evaluations: tuple[Evaluation, ...]
    pairs: tuple[PairAgreement, ...]
    likeness: Mapping[ItemId, bool | None]

    def chosen(self, choice: Choice) -> list[ItemId]:
        """In the order of the first evaluation's items."""
        if choice is Choice.ALL:
            return list(self.likeness)
        wanted = choice is Choice.SAME
        return [item_id for item_id, is_same in self.likeness.items() if is_same is wanted]


async def agreements(
    attempts: AttemptStore, evaluations: Sequence[Evaluation], likeness: Likeness
) -> Agreements:
    """Read every answer once, keeping a digest of each; `evaluations` must have their item ids."""
    columns = [await _digests(attempts, one, likeness) for one in evaluations]
    order = dict.fromkeys(item_id for one in evaluations for item_id in one.item_ids)
    pairs = itertools.combinations(zip(evaluations, columns, strict=True), 2)
    return Agreements(
        tuple(evaluations),
        tuple(_pair(ours, theirs) for ours, theirs in pairs),
        {item_id: _is_same([column.get(item_id) for column in columns]) for item_id in order},
    )


async def _digests(attempts: AttemptStore, evaluation: Evaluation, likeness: Likeness) -> dict[ItemId, bytes]:
    normalise = _NORMALISERS[likeness]
    return {
        key.item_id: blake2b(normalise(answer).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        async for key, answer in attempts.answers(evaluation.id)
        if key.sample == 0
    }


_Column = tuple[Evaluation, Mapping[ItemId, bytes]]


def _pair(ours: _Column, theirs: _Column) -> PairAgreement:
    shared = ours[1].keys() & theirs[1].keys()
    identical = sum(ours[1][item_id] == theirs[1][item_id] for item_id in shared)
    different = len(shared) - identical
    rate = score_estimate([1.0] * identical + [0.0] * different)
    return PairAgreement(ours[0], theirs[0], len(shared), identical, rate)


def _is_same(digests: Sequence[bytes | None]) -> bool | None:
    known = [one for one in digests if one is not None]
    return len(set(known)) == 1 if len(known) > 1 else None


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What judges say of two answers to one item; `is_same` is None where they came to no verdict."""

    item_id: ItemId
    is_same: bool | None
    explanation: str


@dataclass(frozen=True, slots=True)
class JudgedAgreement:
    """`cost_usd` is None where any part of it is unknown."""

    judged: tuple[JudgedPair, ...]
    cost_usd: Decimal | None

    @property
    def same(self) -> int:
        return sum(one.is_same is True for one in self.judged)

    @property
    def different(self) -> int:
        return sum(one.is_same is False for one in self.judged)


async def judged_agreement(
    pair: tuple[Evaluation, Evaluation],
    item_ids: Sequence[ItemId],
    judging: Judging,
    *,
    attempts: AttemptStore,
    directory: JudgeDirectory,
) -> JudgedAgreement:
    """Ask judges whether the answers to each of the items say the same."""
    judges = await directory.open(judging)
    judge_calls = JudgeCalls()
    try:
        await judges.check()
        judged = await asyncio.gather(
            *(_judged(attempts, pair, item_id, judges.panel(judge_calls)) for item_id in item_ids)
        )
    finally:
        await judges.close()
    return JudgedAgreement(tuple(judged), judge_calls.cost_usd)


async def _judged(
    attempts: AttemptStore, pair: tuple[Evaluation, Evaluation], item_id: ItemId, panel: Panel
) -> JudgedPair:
    first, second = [await attempts.get(one.id, AttemptKey(item_id, 0)) for one in pair]
    question = JudgeQuestion(
        prompt=judge_prompt(_QUESTION, _fields(first, second)),
        generation=_JUDGING,
        cue=Cue(right="SAME", wrong="DIFFERENT", judged=(first.answer, second.answer)),
        parse=partial(word_verdict, right="SAME", wrong="DIFFERENT"),
    )
    try:
        grade = await grade_by_judge(panel, question)
    except GraderError as error:
        return JudgedPair(item_id, None, error.message)
    return JudgedPair(item_id, grade.outcome is Outcome.CORRECT, grade.explanation)


def _fields(first: Attempt, second: Attempt) -> dict[str, str]:
    return {"question": first.prompt, "first": first.answer, "second": second.answer}
