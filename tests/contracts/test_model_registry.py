"""The contract of the store for the registry of models."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from assay.domain.calls.pricing import Price
from assay.domain.registry import ListedModel, RegisteredModel
from assay.engine.models.registry import registered_price
from assay.engine.stores import Stores
from assay.engine.stores.registry import Change, ModelFilter
from tests.builders import NOON

OpenFleet = Callable[[], Awaitable[Stores]]
LATER = NOON + timedelta(hours=1)

WHOLE = ListedModel(
    provider="chutes",
    slug="Vendor/Model-1",
    name="Model 1 \x00\U0001f30d",
    tagline="first",
    user="ada",
    logo="/logos/1.webp",
    chute_id="9d0b4a3e-0000-5000-8000-000000000001",
    instance_count=3,
    price=Price(Decimal("0.1999999999999999999"), Decimal(0), "https://api.example/chutes/"),
    context_tokens=2**40,
)


def model(slug: str, **changes: Any) -> ListedModel:
    return replace(ListedModel("chutes", slug, slug), **changes)


@pytest.fixture
async def store(reopen: OpenFleet) -> AsyncGenerator[Stores]:
    opened = await reopen()
    yield opened
    await opened.close()


async def ids(store: Stores, **wanted: Any) -> list[str]:
    return [one.id for one in (await store.registry.page(ModelFilter(**wanted))).models]


async def test_a_model_comes_back_as_it_was_listed(store: Stores, reopen: OpenFleet) -> None:
    change = await store.registry.register("chutes", [WHOLE, model("b")], at=NOON)
    assert change == Change(active=2, added=2, gone=0)
    page = await (await reopen()).registry.page(ModelFilter())
    assert page.models == (RegisteredModel(WHOLE, NOON, NOON), RegisteredModel(model("b"), NOON, NOON))
    assert page.total == 2


async def test_a_later_sync_updates_by_slug_and_keeps_what_is_gone_inactive(store: Stores) -> None:
    await store.registry.register("chutes", [model("a"), model("b"), model("c")], at=NOON)
    changed = model("a", tagline="new")
    change = await store.registry.register("chutes", [changed, model("b", is_active=False)], at=LATER)
    assert change == Change(active=1, added=0, gone=2)
    page = await store.registry.page(ModelFilter())
    assert page.models == (RegisteredModel(changed, first_seen_at=NOON, synced_at=LATER),)
    assert await store.registry.named("c") == ()
    assert await ids(store, with_inactive=True) == ["chutes/a", "chutes/b", "chutes/c"]
    back = await store.registry.register("chutes", [changed, model("c")], at=LATER)
    assert back == Change(active=2, added=0, gone=0)
    [returned] = await store.registry.named("c")
    assert returned.first_seen_at == NOON


async def test_a_sync_leaves_other_providers_alone(store: Stores) -> None:
    await store.registry.register("chutes", [model("a")], at=NOON)
    other = ListedModel("openrouter", "a", "a")
    assert await store.registry.register("openrouter", [other], at=NOON) == Change(active=1, added=1, gone=0)
    assert await store.registry.register("openrouter", [], at=NOON) == Change(active=0, added=0, gone=1)
    assert await ids(store) == ["chutes/a"]


async def test_pages_are_filtered_and_the_total_counts_all_of_them(store: Stores) -> None:
    listed = [model(f"Vendor/{letter}") for letter in "aBc"]
    await store.registry.register("chutes", [*listed, model("z", name="100%_VENDOR")], at=NOON)
    await store.registry.register("vllm", [ListedModel("vllm", "own", "own")], at=NOON)
    assert await ids(store) == [
        "chutes/Vendor/B", "chutes/Vendor/a", "chutes/Vendor/c", "chutes/z", "vllm/own",
    ]  # fmt: skip
    page = await store.registry.page(ModelFilter(search="vENDor", limit=2, offset=1))
    assert ([one.id for one in page.models], page.total) == (["chutes/Vendor/a", "chutes/Vendor/c"], 4)
    assert await ids(store, search="%_") == ["chutes/z"]
    assert await ids(store, provider="vllm") == ["vllm/own"]
    assert await ids(store, provider="vllm", search="vendor") == []
    assert await ids(store, offset=5) == []


async def test_a_model_is_found_by_id_slug_and_chute_id(store: Stores) -> None:
    await store.registry.register("chutes", [WHOLE, model("other")], at=NOON)
    twin = ListedModel("openrouter", WHOLE.slug, "twin")
    await store.registry.register("openrouter", [twin], at=NOON)
    assert [one.id for one in await store.registry.named(WHOLE.slug)] == [WHOLE.id, twin.id]
    for name in (WHOLE.id, WHOLE.chute_id):
        assert [one.id for one in await store.registry.named(str(name))] == [WHOLE.id]
    assert await store.registry.named(WHOLE.slug.lower()) == ()


async def test_a_price_says_where_and_when_it_was_read(store: Stores) -> None:
    await store.registry.register("chutes", [WHOLE, model("unpriced")], at=NOON)
    price = await registered_price(store.registry, WHOLE.id)
    assert price is not None
    assert price.input_usd_per_million == Decimal("0.1999999999999999999")
    assert price.source == f"https://api.example/chutes/, read {NOON:%Y-%m-%d}"
    assert await registered_price(store.registry, "chutes/unpriced") is None
    assert await registered_price(store.registry, WHOLE.slug) is None


async def test_syncs_at_the_same_time_end_in_one_of_them(store: Stores, reopen: OpenFleet) -> None:
    stores = [store, await reopen(), await reopen()]
    model_lists = [[model(f"{part}{number}") for number in range(50)] for part in "abc"]
    await asyncio.gather(
        *(
            one.registry.register("chutes", listed, at=NOON)
            for one, listed in zip(stores, model_lists, strict=True)
        )
    )
    page = await store.registry.page(ModelFilter(limit=500))
    assert page.total == 50
    assert len({one.listed.slug[0] for one in page.models}) == 1
