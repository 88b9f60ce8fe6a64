"""Workers that share the connections of a run, over one store."""

import asyncio

from assay.domain.run import RunId
from assay.engine.models.limiter import AdaptiveLimiter
from assay.worker.shares import RunShares
from tests.builders import ManualClock
from tests.stores import memory_stores

RUN = RunId("run-1")
MOST = 12


class Fleet:
    """Workers with one limiter each."""

    def __init__(self, *names: str) -> None:
        store = memory_stores().fleet
        self.limiters = {name: AdaptiveLimiter(ManualClock(), maximum=MOST) for name in names}
        self.shares = {
            name: RunShares(store, name, lambda name=name: {(RUN, "endpoint"): self.limiters[name]})
            for name in names
        }

    async def renew(self, name: str, *, most: int = MOST) -> int:
        """The worker's share, zero while it has none."""
        shares = self.shares[name]
        await shares.renew(RUN, most=most)
        return shares.of(RUN)


async def test_a_worker_that_joins_gets_its_share_when_the_other_has_lowered_its_own() -> None:
    fleet = Fleet("a", "b")
    assert await fleet.renew("a") == MOST
    fleet.limiters["a"].in_flight = 9
    assert await fleet.renew("b") == 0
    assert await fleet.renew("a") == MOST / 2
    assert fleet.limiters["a"].maximum == MOST / 2
    assert await fleet.renew("b") == 0, "the other has nine calls under way, and may have had twelve"
    await fleet.renew("a")
    assert await fleet.renew("b") == 3
    fleet.limiters["a"].in_flight = 2
    await fleet.renew("a")
    assert await fleet.renew("b") == MOST / 2


async def test_of_several_that_join_at_once_none_gets_what_another_has() -> None:
    names = [f"w{number}" for number in range(5)]
    fleet = Fleet(*names)
    shares = await asyncio.gather(*map(fleet.renew, names))
    assert sum(shares) <= MOST
    for _ in range(3):
        shares = await asyncio.gather(*map(fleet.renew, names))
    assert shares == [MOST // 5] * 5


async def test_with_fewer_connections_than_workers_some_wait() -> None:
    fleet = Fleet("a", "b", "c")
    rounds = [[await fleet.renew(name, most=2) for name in fleet.shares] for _ in range(3)]
    assert all(sum(shares) <= 2 for shares in rounds)
    assert sorted(rounds[-1]) == [0, 1, 1]
    await fleet.shares["a"].leave_all_but([])
    assert [await fleet.renew(name, most=2) for name in ("b", "c")] == [1, 1]


async def test_a_worker_that_is_left_alone_gets_all() -> None:
    fleet = Fleet("a", "b")
    for name in ("a", "b", "a", "b", "a", "b"):
        await fleet.renew(name)
    assert fleet.shares["b"].of(RUN) == MOST / 2
    await fleet.shares["a"].leave_all_but([])
    assert await fleet.renew("b") == MOST
