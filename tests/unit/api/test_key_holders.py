import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import cast

import pytest

from assay.api.access.key_holders import KeyHolders
from assay.domain.access.identity import Role, User
from assay.domain.errors import StoreError
from assay.engine.stores.identity import IdentityStore
from tests.builders import NOON

ADA = User("local:ada", "ada", Role.RUNNER, NOON)


@dataclass
class Keys:
    """The keys of a store, and the questions that it was asked."""

    holders: dict[str, User] = field(default_factory=dict[str, User])
    asked: list[set[str]] = field(default_factory=list[set[str]])
    is_away: bool = False

    async def users_by_key(self, key_hashes: Collection[str]) -> Mapping[str, User]:
        self.asked.append(set(key_hashes))
        if self.is_away:
            raise StoreError("away")
        return {one: self.holders[one] for one in key_hashes if one in self.holders}


def over(keys: Keys) -> KeyHolders:
    return KeyHolders(cast("IdentityStore", keys))  # it is asked nothing else


async def test_many_wrong_keys_are_one_question() -> None:
    keys = Keys({"right": ADA})
    names = ["right", *(f"wrong-{number}" for number in range(100))]
    holders = over(keys)
    found = await asyncio.gather(*(holders.find(one, at_once=False) for one in names))
    assert found == [ADA] + [None] * 100
    assert keys.asked == [set(names)]


async def test_a_wrong_key_is_right_once_it_is_stored() -> None:
    keys = Keys()
    holders = over(keys)
    assert await holders.find("new", at_once=False) is None
    keys.holders["new"] = ADA
    assert await holders.find("new", at_once=False) == ADA


async def test_a_known_key_waits_for_no_others() -> None:
    keys = Keys({"right": ADA})
    holders = over(keys)
    waiting = asyncio.create_task(holders.find("wrong", at_once=False))
    await asyncio.sleep(0)
    assert await holders.find("right", at_once=True) == ADA
    assert keys.asked == [{"right"}]
    assert await waiting is None


async def test_whoever_waits_hears_that_the_store_is_away() -> None:
    keys = Keys(is_away=True)
    holders = over(keys)
    found = await asyncio.gather(*(holders.find(one, at_once=False) for one in "ab"), return_exceptions=True)
    assert [type(one) for one in found] == [StoreError, StoreError]
    keys.is_away = False
    assert await holders.find("a", at_once=False) is None


async def test_a_caller_who_hangs_up_takes_nobody_along() -> None:
    holders = over(Keys({"right": ADA}))
    gone, waiting = (asyncio.create_task(holders.find("right", at_once=False)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert await waiting == ADA
