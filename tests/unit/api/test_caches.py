"""Values kept between requests."""

import asyncio
from dataclasses import replace

from pydantic import BaseModel

from assay.api.caches import ExpiringValue, LruCache, RunJsonCache
from assay.domain.outcome import Outcome
from assay.domain.run import RunId, State
from assay.engine.stores.runs import StoredRun, stored_run
from tests.builders import Seeded


class Counter:
    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self) -> int:
        await asyncio.sleep(0)
        self.calls += 1
        return self.calls


async def test_the_least_recently_used_value_is_dropped() -> None:
    cache, compute = LruCache[int](size=2), Counter()
    assert [await cache.get(key, compute) for key in "abab"] == [1, 2, 1, 2]
    assert await cache.get("c", compute) == 3
    assert await cache.get("b", compute) == 2
    assert await cache.get("a", compute) == 4


async def test_an_expiring_value_is_computed_once_for_concurrent_requests() -> None:
    compute = Counter()
    value = ExpiringValue(compute, max_age_s=3600)
    assert await asyncio.gather(*(value.get() for _ in range(5))) == [1] * 5
    expired = ExpiringValue(compute, max_age_s=-1)
    assert [await expired.get(), await expired.get()] == [2, 3]


class Shown(BaseModel):
    number: int


def found(number: int = 0, *, correct: int = 0) -> StoredRun:
    """A new object at each call, as from a store without a cache."""
    run = replace(Seeded().run, id=RunId(f"{number:08}-run"), state=State.RUNNING)
    evaluation = Seeded(run).evaluation(started_at=run.created_at)
    return stored_run(run, (evaluation,), {evaluation.id: {Outcome.CORRECT: correct}})


def test_a_run_is_serialized_again_only_when_it_has_changed() -> None:
    computed: list[StoredRun] = []

    def shown(run: StoredRun) -> Shown:
        computed.append(run)
        return Shown(number=len(computed))

    cache = RunJsonCache(shown, size=2)
    assert cache.json(found()) == cache.json(found()) == b'{"number":1}'
    assert cache.json(found(correct=1)) == b'{"number":2}'
    assert cache.json(found()) == b'{"number":3}'
    # The least recently used run is dropped.
    cache.json(found(1))
    assert cache.json(found()) == b'{"number":3}'
    cache.json(found(2))
    assert cache.json(found(1)) == b'{"number":6}'
