"""Pairs of answers that two models gave to the same item, without the names of the models."""

import json
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

from assay.domain.access.secret import Secret
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.transcript import transcript_in
from assay.domain.errors import InvalidValueError, UnauthorizedError, UnknownNameError
from assay.domain.run import Evaluation, RunId, State
from assay.engine.identity.credentials import Vault
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import is_masked
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter

_RUNS_LOOKED_AT = 100
_PAIRS_TRIED = 20
_ITEMS_TRIED = 20


@dataclass(frozen=True, slots=True)
class Contender:
    """One evaluation, by its run: the store finds evaluations by it."""

    run_id: str
    evaluation_id: str


@dataclass(frozen=True, slots=True)
class PairKey:
    """Which two answers are shown, and which of them as A."""

    a: Contender
    b: Contender
    item_id: str

    @property
    def prompt_id(self) -> str:
        """The same whichever answer is shown first, so that a pair is voted on once."""
        parts = sorted([self.a.evaluation_id, self.b.evaluation_id])
        return sha256(json.dumps([*parts, self.item_id]).encode()).hexdigest()[:32]

    def token(self, vault: Vault) -> str:
        """What a vote gives back; sealed, as the runs in it tell the models, and so that nobody makes one."""
        parts = [self.a.run_id, self.a.evaluation_id, self.b.run_id, self.b.evaluation_id, self.item_id]
        return vault.seal(Secret(json.dumps(parts))).decode()

    @classmethod
    def read(cls, token: str, vault: Vault) -> "PairKey":
        """Raises InvalidValueError."""
        try:
            parts = json.loads(vault.unseal(token.encode()).value)
            run_a, one_a, run_b, one_b, item_id = (str(part) for part in parts)
        except (UnauthorizedError, ValueError, TypeError) as error:
            raise InvalidValueError("the pair is none that `GET /api/arena/pair` gave") from error
        return cls(Contender(run_a, one_a), Contender(run_b, one_b), item_id)


@dataclass(frozen=True, slots=True)
class Pair:
    key: PairKey
    benchmark: str
    model_a: str
    model_b: str
    answer_a: Attempt
    answer_b: Attempt


class Arena:
    """Draws pairs from the newest finished runs; benchmarks whose texts are masked are left out."""

    def __init__(self, stores: Stores, catalogue: Catalogue, *, chance: random.Random | None = None) -> None:
        self._stores = stores
        self._catalogue = catalogue
        self._chance = chance or random.SystemRandom()

    async def draw(self, benchmark: str | None = None, models: Collection[str] = ()) -> Pair:
        """A pair that nobody has voted on, with an answer of each of the models; raises UnknownNameError."""
        for one, other in await self._opponents(benchmark, frozenset(models)):
            pair = await self._pair(one, other)
            if pair is not None:
                return pair
        raise UnknownNameError(
            "pair of answers",
            benchmark or "any benchmark",
            remedy="run two models on the same benchmark; pairs that were voted on do not come again",
        )

    async def find(self, key: PairKey) -> Pair:
        """Raises UnknownNameError if one of the answers is no longer stored."""
        one, other = await self._evaluation(key.a), await self._evaluation(key.b)
        if one.benchmark != other.benchmark or is_masked(one, self._catalogue):
            raise InvalidValueError("the pair is none that `GET /api/arena/pair` gave")
        asked = AttemptKey(ItemId(key.item_id), 0)
        return Pair(
            key,
            one.benchmark,
            one.model,
            other.model,
            await self._stores.attempts.get(one.id, asked),
            await self._stores.attempts.get(other.id, asked),
        )

    async def _evaluation(self, wanted: Contender) -> Evaluation:
        run_id = RunId(wanted.run_id)
        for one in (await self._stores.runs.evaluations_of([run_id])).get(run_id, ()):
            if one.id == wanted.evaluation_id:
                return one
        raise UnknownNameError("answer", wanted.evaluation_id)

    async def _opponents(
        self, benchmark: str | None, models: frozenset[str]
    ) -> Sequence[tuple[Evaluation, Evaluation]]:
        """Evaluations of different models on the same items, in random order."""
        runs = self._stores.runs
        page = await runs.page(RunFilter(state=State.SUCCEEDED, benchmark=benchmark, limit=_RUNS_LOOKED_AT))
        here = [run.id for run in page.runs if run.offloaded_at is None]
        found = await runs.evaluations_of(here)
        shown = [
            one
            for evaluations in found.values()
            for one in evaluations
            if benchmark in (None, one.benchmark) and not is_masked(one, self._catalogue)
        ]
        pairs = [
            (one, other)
            for one, other in combinations(shown, 2)
            if one.model != other.model
            and models <= {one.model, other.model}
            and one.benchmark == other.benchmark
            and one.fingerprint.items_checksum == other.fingerprint.items_checksum
        ]
        return self._chance.sample(pairs, min(len(pairs), _PAIRS_TRIED))

    async def _pair(self, one: Evaluation, other: Evaluation) -> Pair | None:
        """Of an item that both have answered, if there is one that nobody has voted on."""
        if self._chance.random() < 1 / 2:
            one, other = other, one
        for item_id in await self._items(one):
            key = PairKey(Contender(one.run_id, one.id), Contender(other.run_id, other.id), item_id)
            if await self._stores.arena.has(key.prompt_id):
                continue
            try:
                pair = await self.find(key)
            except UnknownNameError:
                continue
            if _can_be_compared(pair.answer_a, pair.answer_b):
                return pair
        return None

    async def _items(self, evaluation: Evaluation) -> Sequence[ItemId]:
        whole = await self._stores.runs.evaluations(evaluation.run_id)
        ids = next(one.item_ids for one in whole if one.id == evaluation.id)
        return self._chance.sample(ids, min(len(ids), _ITEMS_TRIED))


def _can_be_compared(one: Attempt, other: Attempt) -> bool:
    """Equal answers and empty ones leave nothing to prefer."""
    both = (one, other)
    answered = all(each.outcome.is_final and each.answer.strip() for each in both)
    # A conversation with tools is no text that can be read beside another.
    are_texts = all(transcript_in(each.answer) is None for each in both)
    return answered and are_texts and one.answer != other.answer and one.item_hash == other.item_hash
