"""Values kept for a while."""

import asyncio

from assay.api.recent import Fresh, Recent


class Making:
    def __init__(self) -> None:
        self.made = 0

    async def __call__(self) -> int:
        await asyncio.sleep(0)
        self.made += 1
        return self.made


async def test_the_keys_used_last_are_kept() -> None:
    recent, make = Recent[int](kept=2), Making()
    assert [await recent.get(key, make) for key in "abab"] == [1, 2, 1, 2]
    assert await recent.get("c", make) == 3
    assert await recent.get("b", make) == 2
    assert await recent.get("a", make) == 4


async def test_a_fresh_value_is_made_once_however_many_ask() -> None:
    make = Making()
    fresh = Fresh(make, for_s=3600)
    assert await asyncio.gather(*(fresh.get() for _ in range(5))) == [1] * 5
    stale = Fresh(make, for_s=-1)
    assert [await stale.get(), await stale.get()] == [2, 3]
