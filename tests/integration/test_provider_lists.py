"""Catalogues of providers, read from a real server."""

import re
from collections.abc import Generator
from decimal import Decimal

import pytest

from assay.adapters.models.lists.provider_lists import HttpModelLists
from assay.adapters.models.session import ClientLimits
from assay.domain.calls.pricing import Price
from assay.domain.errors import EndpointError, EndpointUnreachableError, InvalidValueError, UnauthorizedError
from assay.domain.registry import ListedModel
from tests.integration.catalogue_server import CatalogueServer, chute, serving

KEY = "cpk-canary-0123456789"


@pytest.fixture
def server() -> Generator[CatalogueServer]:
    with serving(CatalogueServer()) as running:
        yield running


def model_lists(
    server: CatalogueServer, *, key: str = KEY, limits: ClientLimits | None = None
) -> HttpModelLists:
    environment = {
        "CHUTES_API_KEY": key,
        "CHUTES_BASE_URL": f"{server.url}/llm",
        "OPENROUTER_BASE_URL": f"{server.url}/openrouter",
    }
    return HttpModelLists(environment, chutes_url=server.url, limits=limits)


async def test_a_chute_tells_what_the_contract_reads(server: CatalogueServer) -> None:
    server.chutes = [chute("Vendor/Model")]
    [found] = await model_lists(server).listed("chutes")
    assert found == ListedModel(
        provider="chutes",
        slug="Vendor/Model",
        name="Vendor/Model",
        is_active=True,
        tagline="About Vendor/Model",
        user="chutes",
        logo="/logos/1.webp",
        chute_id="id-Vendor/Model",
        instance_count=2,
        price=Price(Decimal("0.2"), Decimal("0.8"), f"{server.url}/chutes/"),
    )


async def test_the_key_is_not_shown_to_the_public_catalogue(server: CatalogueServer) -> None:
    server.chutes, server.served = [chute("a")], ["a"]
    await model_lists(server).listed("chutes")
    shown = dict(server.seen)
    assert shown["/llm/models"] == f"Bearer {KEY}"
    [page] = [target for target in shown if target.startswith("/chutes/")]
    assert page == "/chutes/?include_public=true&page=0&limit=500&include_schemas=false"
    assert shown[page] is None


@pytest.mark.parametrize("tells_total", [True, False])
async def test_pages_are_read_to_the_end(server: CatalogueServer, *, tells_total: bool) -> None:
    server.chutes = [chute(f"m{number}") for number in range(1_001)]
    server.tells_total = tells_total
    assert len(await model_lists(server).listed("chutes")) == 1_001
    assert sum("/chutes/" in target for target, _ in server.seen) == 3


async def test_shorter_pages_than_asked_for_are_read_to_the_total(server: CatalogueServer) -> None:
    server.chutes, server.page_size = [chute(f"m{number}") for number in range(25)], 10
    assert len(await model_lists(server).listed("chutes")) == 25


async def test_a_server_that_repeats_a_page_is_not_asked_for_ever(server: CatalogueServer) -> None:
    server.chutes = [chute(f"m{number}") for number in range(600)]
    server.tells_total, server.repeats_first_page = False, True
    assert len(await model_lists(server).listed("chutes")) == 500
    assert sum("/chutes/" in target for target, _ in server.seen) == 2


async def test_of_chutes_with_one_name_the_one_that_answers_counts(server: CatalogueServer) -> None:
    server.chutes = [
        chute("twin", chute_id="cold", instances=[]),
        chute("twin", chute_id="warm"),
        chute("twin", chute_id="unpriced", instances=[{}] * 9, current_estimated_price=None),
        chute("other"),
    ]
    found = await model_lists(server).listed("chutes")
    assert [(one.slug, one.chute_id) for one in found] == [("twin", "warm"), ("other", "id-other")]


async def test_the_endpoints_own_list_says_which_are_active(server: CatalogueServer) -> None:
    server.chutes = [chute("a"), chute("b", current_estimated_price={}), chute("c", chute_id="by-id")]
    by_price = {one.slug: one.is_active for one in await model_lists(server).listed("chutes")}
    assert by_price == {"a": True, "b": False, "c": True}
    server.served = ["b", "by-id"]
    by_list = {
        one.slug: (one.is_active, one.context_tokens) for one in await model_lists(server).listed("chutes")
    }
    assert by_list == {"a": (False, None), "b": (True, 4096), "c": (True, 4096)}


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        ({"per_million_tokens": {"usd": 0.5}}, (Decimal("0.5"), Decimal("0.5"))),
        ({"per_million_tokens": {"input": {"usd": 0}, "output": {"usd": 0}}}, (Decimal(0), Decimal(0))),
        ({"per_million_tokens": {"input": {"usd": 1}}}, None),
        ({"per_million_tokens": {"input": {"usd": -1}, "output": {"usd": "x"}}}, None),
        ({"usd": {"hour": 2}}, None),
        ("free", None),
        (None, None),
    ],
)
async def test_a_price_is_read_or_unknown(
    server: CatalogueServer, price: object, expected: tuple[Decimal, Decimal] | None
) -> None:
    server.chutes = [chute("a", current_estimated_price=price)]
    [found] = await model_lists(server).listed("chutes")
    known = found.price and (found.price.input_usd_per_million, found.price.output_usd_per_million)
    assert known == expected


async def test_rows_that_name_no_model_are_passed_over(server: CatalogueServer) -> None:
    server.chutes = [
        chute("good", user="someone", instances=3, tagline=["x"], logo=None, chute_id={"a": 1}),
        chute(None),
        chute("  "),
        chute("line\nbreak"),
        chute("x" * 401),
        "text",
        None,
    ]
    [found] = await model_lists(server).listed("chutes")
    assert (found.slug, found.user, found.instance_count, found.tagline) == ("good", None, None, None)
    assert found.chute_id is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, b'{"items": ['), "not JSON"),
        ((200, b'{"error": "no"}'), "not a list of models"),
        ((200, b'"text"'), "not a list of models"),
        ((500, b"oops"), "answered 500"),
        ((429, b"{}"), "answered 429"),
    ],
)
async def test_a_broken_page_breaks_the_whole(
    server: CatalogueServer, answer: tuple[int, bytes], said: str
) -> None:
    server.chutes = [chute(f"m{number}") for number in range(501)]
    server.broken = {1: answer}
    with pytest.raises(EndpointError, match=re.escape(f"{server.url}/chutes/") + f".*{said}"):
        await model_lists(server).listed("chutes")


async def test_a_body_without_end_is_not_read_to_it(server: CatalogueServer) -> None:
    server.broken = {0: (200, b" " * 2**22)}
    with pytest.raises(EndpointError, match="sent more than 1 MiB"):
        await model_lists(server, limits=ClientLimits(max_reply_bytes=2**20)).listed("chutes")


async def test_an_empty_catalogue_is_taken_for_an_error(server: CatalogueServer) -> None:
    with pytest.raises(EndpointError, match="lists no models"):
        await model_lists(server).listed("chutes")


async def test_openrouter_is_read_without_a_key(server: CatalogueServer) -> None:
    found = await model_lists(server).listed("openrouter")
    assert found == (
        ListedModel(
            provider="openrouter",
            slug="google/gemini-test",
            name="Google: Gemini Test",
            tagline="First line.",
            price=Price(Decimal("1.25"), Decimal(10), f"{server.url}/openrouter/models"),
            context_tokens=1048576,
            supported_parameters=("max_tokens", "reasoning", "include_reasoning"),
        ),
        ListedModel(provider="openrouter", slug="openrouter/auto", name="Auto"),
    )
    assert server.seen == [("/openrouter/models", None)]


async def test_any_endpoint_can_be_read(server: CatalogueServer) -> None:
    server.served = ["own/model", "own/model", "other"]
    own = HttpModelLists({"LAB_BASE_URL": f"{server.url}/llm", "LAB_API_KEY": KEY})
    found = await own.listed("openai-api/lab")
    assert [one.id for one in found] == ["openai-api/lab/own/model", "openai-api/lab/other"]
    assert server.seen == [("/llm/models", f"Bearer {KEY}")]


async def test_what_cannot_be_asked_says_why() -> None:
    nothing = HttpModelLists({"VLLM_BASE_URL": "http://127.0.0.1:1/v1"})
    with pytest.raises(EndpointUnreachableError, match=r"127\.0\.0\.1:1"):
        await nothing.listed("vllm")
    with pytest.raises(UnauthorizedError, match="OPENAI_API_KEY"):
        await nothing.listed("openai")
    with pytest.raises(InvalidValueError, match="built in"):
        await nothing.listed("sim")
    with pytest.raises(InvalidValueError, match="CHUTES_MODELS_API_URL"):
        HttpModelLists({}, chutes_url="ftp://host")


def test_only_what_the_settings_name_is_configured() -> None:
    assert HttpModelLists({}).configured() == ()
    environment = {"VLLM_BASE_URL": "http://h/v1", "OPENAI_API_KEY": KEY, "GROQ_API_KEY": ""}
    assert HttpModelLists(environment).configured() == ("openai", "vllm")
    for name in ("CHUTES_MODELS_API_URL", "CHUTES_API_BASE_URL"):
        assert HttpModelLists({name: "http://h"}).configured() == ("chutes",)
