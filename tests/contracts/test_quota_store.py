"""What endpoints may be asked per minute, however many processes ask."""

import asyncio
import time

from assay.domain.calls.quota import Claim, Grant
from assay.engine.stores import Stores
from tests.contracts.conftest import OpenStores


def claim(wanted: int = 1, *, endpoint: str = "https://here/v1", per_minute: int = 63) -> Claim:
    return Claim(endpoint, "requests", per_minute, wanted)


def is_due(grant: Grant, began: float, *, after_s: float) -> bool:
    """Whether it is due so long after a moment that lies between `began` and now."""
    passed_s = time.monotonic() - began
    return after_s - passed_s - 0.01 <= grant.due_in_s <= after_s + 0.01


async def test_what_was_granted_takes_its_time(store: Stores) -> None:
    began = time.monotonic()
    assert await store.quotas.grant(claim()) == Grant(1, 0.0)
    second = await store.quotas.grant(claim(3))
    assert second.amount == 3
    assert is_due(second, began, after_s=1)


async def test_nothing_is_granted_far_ahead(store: Stores) -> None:
    began = time.monotonic()
    await store.quotas.grant(claim(10))
    refused = await store.quotas.grant(claim())
    assert refused.amount == 0
    assert is_due(refused, began, after_s=9)
    # A refusal takes nothing: the wait grows shorter.
    assert (await store.quotas.grant(claim())).due_in_s <= refused.due_in_s


async def test_endpoints_and_units_have_quotas_of_their_own(store: Stores) -> None:
    await store.quotas.grant(claim(60))
    assert (await store.quotas.grant(claim(endpoint="https://there/v1"))).amount == 1
    assert (await store.quotas.grant(Claim("https://here/v1", "tokens", 63, 5))).amount == 5
    assert (await store.quotas.grant(claim())).amount == 0


async def test_two_processes_at_once_never_get_the_same_time(reopen: OpenStores) -> None:
    stores = [await reopen() for _ in range(3)]
    began = time.monotonic()

    async def claimed(store: Stores) -> float:
        grant = await store.quotas.grant(claim(per_minute=6300))
        assert grant.amount == 1
        return time.monotonic() - began + grant.due_in_s

    due = sorted(await asyncio.gather(*(claimed(store) for store in stores * 20)))
    # Sixty grants of 10 ms each, one after the other.
    assert due[-1] >= 59 * 0.01
