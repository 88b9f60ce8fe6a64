"""Models without tools, images or audio are refused by their list, or by their first reply."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Audio, Generation, Image, Message, Prompt
from assay.domain.errors import RejectedError, UnsupportedError
from assay.engine.ports import ModelClient, Request

TOOLS = {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]}
WITH_TOOLS = Request(
    Prompt((Message("user", "Call f."),), {**TOOLS, "tool_choice": "auto"}),
    Generation(max_tokens=900),
    needs=frozenset({Need.TOOLS}),
)
PARTS = (Image("data:image/png;base64,AA=="), Audio("AAAA", "wav"), "What is this?")
WITH_PARTS = Request(
    Prompt((Message("user", PARTS),)), Generation(), needs=frozenset({Need.IMAGES, Need.AUDIO})
)


@dataclass
class Server:
    """Answers "ok"; a request that has `refused` in its JSON gets the status instead."""

    entry: dict[str, Any] = field(default_factory=dict[str, Any])
    refused: str = "never"
    status: int = 400
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def models(self, _request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": "m", **self.entry}]})

    async def complete(self, request: web.Request) -> web.Response:
        text = await request.text()
        self.requests.append(await request.json())
        if self.refused in text:
            return web.json_response({"error": {"message": "not supported here"}}, status=self.status)
        choice = {"message": {"content": "ok"}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice]})


@asynccontextmanager
async def opened(server: Server) -> AsyncGenerator[ModelClient]:
    app = web.Application()
    app.router.add_get("/v1/models", server.models)
    app.router.add_post("/v1/chat/completions", server.complete)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    client = HttpModelDirectory({}).open("vllm/m", base_url=f"{site.name}/v1")
    try:
        yield client
    finally:
        await client.close()
        await runner.cleanup()


@pytest.mark.parametrize(
    ("entry", "need", "words"),
    [
        ({"supported_parameters": ["temperature"]}, Need.TOOLS, "tool calls"),
        ({"supported_features": ["json_mode"]}, Need.TOOLS, "tool calls"),
        ({"capabilities": {"function_calling": False}}, Need.TOOLS, "tool calls"),
        ({"architecture": {"input_modalities": ["text"]}}, Need.IMAGES, "images"),
        ({"capabilities": {"vision": False}}, Need.IMAGES, "images"),
        ({"input_modalities": ["text", "image"]}, Need.AUDIO, "audio"),
    ],
)
async def test_a_list_that_denies_a_need_refuses_before_any_call(
    entry: dict[str, Any], need: Need, words: str
) -> None:
    server = Server(entry)
    async with opened(server) as client:
        with pytest.raises(UnsupportedError, match=f"does not take {words}"):
            await client.check(frozenset({need, Need.SANDBOX}))
        await client.check(frozenset({Need.SANDBOX}))
    assert server.requests == []


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"supported_parameters": []},
        {"supported_parameters": "tools"},
        {"supported_parameters": ["tools"], "architecture": {"input_modalities": ["text", "image", "audio"]}},
        {"architecture": None, "capabilities": {"vision": None}, "input_modalities": {}},
    ],
)
async def test_a_list_that_denies_nothing_refuses_nothing(entry: dict[str, Any]) -> None:
    async with opened(Server(entry)) as client:
        await client.check(frozenset({Need.TOOLS, Need.IMAGES, Need.AUDIO}))


@pytest.mark.parametrize("status", [400, 404, 422])
async def test_a_refusal_of_tools_alone_is_fatal(status: int) -> None:
    server = Server(refused='"tools"', status=status)
    async with opened(server) as client:
        with pytest.raises(
            UnsupportedError, match=f"refuses tool calls .* answered {status}: not supported here"
        ):
            await client.complete(WITH_TOOLS)
    plain = server.requests[-1]
    assert "tools" not in plain
    assert "tool_choice" not in plain
    assert plain["max_tokens"] == 16


async def test_a_refusal_of_images_and_audio_names_both_and_sends_the_text_alone() -> None:
    server = Server(refused="image_url")
    async with opened(server) as client:
        with pytest.raises(UnsupportedError, match="refuses audio and images"):
            await client.complete(WITH_PARTS)
    assert server.requests[-1]["messages"] == [{"role": "user", "content": "What is this?"}]


async def test_a_request_that_is_refused_without_them_too_is_only_rejected() -> None:
    async with opened(Server(refused="messages")) as client:
        with pytest.raises(RejectedError):
            await client.complete(WITH_TOOLS)


async def test_once_accepted_a_later_refusal_is_only_rejected() -> None:
    server = Server()
    async with opened(server) as client:
        assert (await client.complete(WITH_TOOLS)).answer == "ok"
        server.refused = '"tools"'
        with pytest.raises(RejectedError):
            await client.complete(WITH_TOOLS)


async def test_pictures_of_a_benchmark_that_does_not_need_them_are_not_doubted() -> None:
    server = Server(refused="image_url")
    async with opened(server) as client:
        with pytest.raises(RejectedError):
            await client.complete(Request(WITH_PARTS.prompt, Generation()))
    assert all("image_url" in str(request) for request in server.requests)
