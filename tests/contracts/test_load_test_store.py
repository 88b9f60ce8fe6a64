"""The contract of the store of load tests."""

from dataclasses import replace
from datetime import timedelta

import pytest

from assay.domain.errors import UnknownNameError
from assay.domain.load import LoadTestId
from assay.engine.stores import Stores
from tests.builders import NOON
from tests.load_tests import load_test


async def test_a_load_test_is_read_as_it_was_stored(store: Stores) -> None:
    await store.load_tests.add(load_test())
    assert await store.load_tests.get(load_test().id) == load_test()
    with pytest.raises(UnknownNameError):
        await store.load_tests.get("nobody\x00\ud800")


async def test_load_tests_are_listed_newest_first(store: Stores) -> None:
    tests = [
        replace(load_test(), id=LoadTestId(f"test-{number}"), created_at=NOON + timedelta(hours=number))
        for number in range(3)
    ]
    for one in tests:
        await store.load_tests.add(one)
    page = await store.load_tests.page(limit=2, offset=0)
    assert (page.tests, page.total) == ((tests[2], tests[1]), 3)
    assert (await store.load_tests.page(limit=2, offset=2)).tests == (tests[0],)
