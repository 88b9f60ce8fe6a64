"""The contract of the store of votes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from assay.domain.arena import Vote
from assay.domain.errors import ConflictError
from assay.engine.stores import Stores
from tests.builders import NOON

OpenFleet = Callable[[], Awaitable[Stores]]


def vote(number: int = 0) -> Vote:
    return Vote(
        prompt_id=f"prompt {number}",
        winner="tie",
        model_a="a\x00",
        model_b="\ud800b",
        created_at=NOON,
        user_id="ada",
        prompt_hash="f00",
        benchmark="letters",
        owner="grace",
    )


async def test_votes_are_read_back_as_they_were_in_their_order(store: Stores, reopen: OpenFleet) -> None:
    votes = [vote(number) for number in (3, 1, 2)]
    for one in votes:
        await store.arena.add(one)
    assert list(await (await reopen()).arena.votes()) == votes
    assert await store.arena.has("prompt 1")
    assert not await store.arena.has("prompt 4")


async def test_a_prompt_is_voted_on_once(store: Stores) -> None:
    await store.arena.add(vote())
    with pytest.raises(ConflictError, match="prompt 'prompt 0' has been voted on already"):
        await store.arena.add(vote())
    assert len(await store.arena.votes()) == 1


async def test_of_votes_at_the_same_moment_one_is_stored(store: Stores, reopen: OpenFleet) -> None:
    other = await reopen()
    done = await asyncio.gather(store.arena.add(vote()), other.arena.add(vote()), return_exceptions=True)
    assert sorted(type(one).__name__ for one in done) == ["ConflictError", "NoneType"]
    assert len(await store.arena.votes()) == 1
