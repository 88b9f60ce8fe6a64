"""Azure's addresses of OpenAI's chat completions."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.lists.provider_lists import HttpModelLists
from assay.adapters.models.providers import AZURE_API_VERSION
from assay.domain.calls.messages import Generation, Prompt
from assay.domain.errors import EndpointError, RejectedError, UnauthorizedError
from assay.engine.ports import ModelClient, Request
from tests.integration.test_openai_chat_wire import CHUNK, RawServer, http

KEY = "azure-canary-0123456789"
REQUEST = Request(Prompt.of_user("hello"), Generation(max_tokens=9))


@asynccontextmanager
async def asked(server: RawServer, path: str = "", *, key: str = KEY) -> AsyncGenerator[ModelClient]:
    async with server.listening() as address:
        environment = {"AZURE_OPENAI_API_KEY": key, "AZURE_OPENAI_ENDPOINT": f"http://{address}{path}"}
        client = HttpModelDirectory(environment).open("azure/my-gpt")
        try:
            yield client
        finally:
            await client.close()


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/", f"/openai/deployments/my-gpt/chat/completions?api-version={AZURE_API_VERSION}"),
        ("?api-version=2025-01-01", "/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01"),
        ("/openai/v1/", "/openai/v1/chat/completions"),
    ],
)
async def test_the_deployment_is_asked_with_azures_header(path: str, target: str) -> None:
    server = RawServer(http(CHUNK))
    async with asked(server, path) as client:
        await client.check()
        assert (await client.complete(REQUEST)).answer == "hi"
    [sent] = server.requests
    head, _, body = sent.partition(b"\r\n\r\n")
    assert head.startswith(f"POST {target} HTTP/1.1\r\n".encode())
    assert f"\r\napi-key: {KEY}\r\n".encode() in head
    assert b"Authorization" not in head
    assert json.loads(body)["max_completion_tokens"] == 9


def _refusal(error: dict[str, object]) -> bytes:
    return http(json.dumps({"error": error}).encode(), status="400 Bad Request")


async def test_a_prompt_that_azure_filters_is_refused() -> None:
    error = {"code": "content_filter", "message": "The prompt was filtered.", "status": 400}
    async with asked(RawServer(_refusal({**error, "innererror": {"code": "Policy"}}))) as client:
        found = await client.complete(REQUEST)
    assert (found.is_refused, found.refusal, found.answer) == (True, "The prompt was filtered.", "")
    async with asked(RawServer(_refusal({"code": "invalid_value", "message": "m"}))) as client:
        with pytest.raises(RejectedError):
            await client.complete(REQUEST)


async def test_azure_needs_a_key_and_lists_no_deployments() -> None:
    server = RawServer(http(CHUNK))
    async with asked(server, key="") as client:
        with pytest.raises(UnauthorizedError, match="AZURE_OPENAI_API_KEY"):
            await client.complete(REQUEST)
    environment = {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:1"}
    assert HttpModelLists(environment).configured() == ()
    with pytest.raises(EndpointError, match="no list"):
        await HttpModelLists(environment).listed("azure")
    with pytest.raises(EndpointError, match="no list"):
        await HttpModelDirectory(environment).served("azure")
    assert server.requests == []


def test_azure_is_not_ready_before_it_has_an_address() -> None:
    [status] = [one for one in HttpModelDirectory({}).providers() if one.prefix == "azure/"]
    assert (status.is_ready, status.base_url, status.key_variable) == (False, "", "AZURE_OPENAI_API_KEY")
