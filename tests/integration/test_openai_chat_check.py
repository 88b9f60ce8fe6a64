"""What the client says about an endpoint before anything is asked of the model."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.simserver.app import SimServerOptions, running
from assay.domain.calls.messages import Generation, Prompt
from assay.domain.errors import (
    ConnectionFailedError,
    EndpointUnreachableError,
    UnauthorizedError,
    UnknownModelError,
)
from assay.engine.ports import ModelClient, Request

CANARY = "sk-canary-0123456789"
REQUEST = Request(Prompt.of_user("Say this."), Generation())


@asynccontextmanager
async def opened(
    model: str, *, server: SimServerOptions | None = None, environment: Mapping[str, str] | None = None
) -> AsyncGenerator[ModelClient]:
    async with running(server) as base_url:
        client = HttpModelDirectory(environment or {}).open(model, base_url=base_url)
        try:
            yield client
        finally:
            await client.close()


@pytest.mark.parametrize("model", ["vllm/test/letter", "vllm/test/stall?stall_ms=1", "vllm/own"])
async def test_check_accepts_listed_models(model: str) -> None:
    async with opened(model, server=SimServerOptions(models=("own",))) as client:
        await client.check()


async def test_check_names_the_nearest_model() -> None:
    async with opened("vllm/test/leter") as client:
        with pytest.raises(UnknownModelError, match="'test/letter'"):
            await client.check()
        with pytest.raises(UnknownModelError):
            await client.complete(REQUEST)


@pytest.mark.parametrize("model", ["vllm/any", "fireworks/any"])
async def test_check_accepts_what_no_list_denies(model: str) -> None:
    lists = model.startswith("fireworks")
    async with opened(model, server=SimServerOptions(lists_models=lists)) as client:
        await client.check()
        assert await client.price() is None


async def test_price_comes_from_the_listing() -> None:
    async with opened("openrouter/test/letter") as client:
        price = await client.price()
    assert price is not None
    assert (price.input_usd_per_million, price.output_usd_per_million) == (1, 2)
    assert price.source.endswith("/v1/models")
    async with opened("vllm/test/letter") as client:
        assert await client.price() is None


async def test_key_is_sent_and_a_wrong_one_is_fatal() -> None:
    server = SimServerOptions(api_key=CANARY)
    async with opened("vllm/test/echo", server=server, environment={"VLLM_API_KEY": CANARY}) as client:
        await client.check()
        assert (await client.complete(REQUEST)).answer == "Say this."
    async with opened("vllm/test/echo", server=server, environment={"VLLM_API_KEY": "sk-wrong-1"}) as client:
        with pytest.raises(UnauthorizedError, match="VLLM_API_KEY"):
            await client.check()
        with pytest.raises(UnauthorizedError, match="VLLM_API_KEY"):
            await client.complete(REQUEST)


async def test_missing_key_is_told_before_any_call() -> None:
    client = HttpModelDirectory({}).open("openrouter/some/model")
    with pytest.raises(UnauthorizedError, match="OPENROUTER_API_KEY"):
        await client.check()
    with pytest.raises(UnauthorizedError, match="OPENROUTER_API_KEY"):
        await client.complete(REQUEST)
    await client.close()


async def test_nobody_listens() -> None:
    async with running() as base_url:
        pass
    client = HttpModelDirectory({}).open("vllm/m", base_url=base_url)
    with pytest.raises(ConnectionFailedError):
        await client.complete(REQUEST)
    with pytest.raises(EndpointUnreachableError, match="base URL"):
        await client.check()
    assert await client.price() is None
    await client.close()


async def test_unknown_host() -> None:
    client = HttpModelDirectory({}).open("vllm/m", base_url="http://no-such-host.invalid/v1")
    with pytest.raises(ConnectionFailedError, match=r"no-such-host\.invalid"):
        await client.complete(REQUEST)
    with pytest.raises(EndpointUnreachableError):
        await client.check()
    await client.close()


async def test_a_provider_is_ready_only_if_something_listens() -> None:
    nobody = {"OLLAMA_BASE_URL": "http://127.0.0.1:1", "GROQ_BASE_URL": "http://127.0.0.1:1"}
    async with running() as base_url:
        directory = HttpModelDirectory({"VLLM_BASE_URL": base_url, **nobody, "GROQ_API_KEY": "key"})
        found = {one.prefix: (one.is_ready, one.is_refusing) for one in await directory.connected_providers()}
    assert found["vllm/"] == (True, False)
    assert found["ollama/"] == (False, True)
    assert found["groq/"] == (False, True), "a key makes no server"
    assert found["openai/"] == (False, False)
    assert found["sim/good"] == (True, False)
