"""The test endpoint as any HTTP client sees it."""

import asyncio

import aiohttp
import orjson
import pytest
from yarl import URL

from assay.adapters.simserver.app import SimServerOptions, running
from assay.adapters.simserver.hostile import KEY, End, Kind, OneByOne, Repeated, hostile_running
from assay.adapters.simserver.script import Script
from assay.domain.calls.messages import Json


async def posted(
    base_url: str, *, model: str = "test/letter", prompt: str = "q", headers: dict[str, str] | None = None
) -> tuple[int, dict[str, Json], dict[str, str]]:
    body: Json = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{base_url}/chat/completions", data=orjson.dumps(body), headers=headers) as response,
    ):
        return response.status, orjson.loads(await response.read()), dict(response.headers)


async def got(url: str) -> tuple[int, dict[str, Json]]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, orjson.loads(await response.read())


def content(body: dict[str, Json]) -> str:
    return orjson.loads(orjson.dumps(body))["choices"][0]["message"]["content"]


async def test_letters_depend_on_the_prompt_and_the_seed_alone() -> None:
    async with running() as base_url:
        first = [content((await posted(base_url, prompt=f"q{n}"))[1]) for n in range(40)]
        again = [content((await posted(base_url, prompt=f"q{n}"))[1]) for n in range(40)]
        other = [
            content((await posted(base_url, model="test/letter?seed=1", prompt=f"q{n}"))[1])
            for n in range(40)
        ]
    assert first == again != other
    assert set(first) == {f"The answer is ({letter})." for letter in "ABCD"}


async def test_behaviour_comes_from_start_name_and_headers() -> None:
    async with running(SimServerOptions(script=Script(answer="fixed", text="from the start"))) as base_url:
        assert content((await posted(base_url))[1]) == "from the start"
        named = await posted(base_url, model="test/letter?text=from+the+name")
        assert content(named[1]) == "from the name"
        headed = await posted(
            base_url, model="test/letter?text=from+the+name", headers={"X-Sim-Text": "from a header"}
        )
        assert content(headed[1]) == "from a header"


async def test_busy_every_third_request() -> None:
    async with running() as base_url:
        replies = [await posted(base_url, model="test/busy") for _ in range(6)]
    assert [status for status, _, _ in replies] == [200, 200, 429, 200, 200, 429]
    assert replies[2][2]["Retry-After"] == "1"


async def test_share_of_failures() -> None:
    async with running() as base_url:
        statuses = [(await posted(base_url, model="test/letter?status=503&share=0.25"))[0] for _ in range(80)]
    assert 15 <= statuses.count(503) <= 25


@pytest.mark.parametrize(
    ("model", "status"), [("nobody", 404), ("test/letter?speed=1", 400), ("test/letter?chunks=x", 400)]
)
async def test_requests_it_cannot_serve(model: str, status: int) -> None:
    async with running() as base_url:
        assert (await posted(base_url, model=model))[0] == status


async def test_requests_that_are_none() -> None:
    async with running() as base_url, aiohttp.ClientSession() as session:
        for body in (b"", b"[]", b"{}", b'{"model": "test/letter"}'):
            async with session.post(f"{base_url}/chat/completions", data=body) as response:
                assert response.status == 400
        assert (await got(f"{base_url}/nothing"))[0] == 404


async def test_requests_are_counted() -> None:
    async with running(SimServerOptions(api_key="k")) as base_url:
        assert (await posted(base_url))[0] == 401
        assert (await posted(base_url, headers={"Authorization": "Bearer k"}))[0] == 200
        _, stats = await got(base_url.removesuffix("/v1") + "/sim/stats")
    assert stats == {
        "requests": 2,
        "streams": 0,
        "with_stream_options": 0,
        "in_flight": 0,
        "max_in_flight": 1,
        "statuses": {"401": 1, "200": 1},
    }


def test_key_is_not_shown() -> None:
    assert "canary" not in repr(SimServerOptions(api_key="canary"))


async def test_hostile_replies_are_the_bytes_of_their_kind() -> None:
    kinds = {
        "ordinary": Kind("", (), ((b"HTTP/1.1 200 OK\r\n\r\n", Repeated(b"ab", 2), KEY),), ()),
        "in-turn": Kind("", (), ((b"one",), (OneByOne(b"two", 0.001),)), (b"list",)),
        "reset": Kind("", (), ((b"x", End.RESET),), ()),
    }
    async with hostile_running(kinds, host="127.0.0.1", port=0) as address:
        assert await sent(address, "/ordinary/v1/chat/completions") == b"HTTP/1.1 200 OK\r\n\r\nababsk-1"
        assert [await sent(address, "/in-turn/v1/chat/completions") for _ in range(3)] == [
            b"one",
            b"two",
            b"one",
        ]
        assert await sent(address, "/in-turn/v1/models") == b"list"
        with pytest.raises(ConnectionResetError):
            await sent(address, "/reset/v1/chat/completions")


async def sent(address: str, path: str) -> bytes:
    """Everything that is sent in answer to a request, up to the end of the connection."""
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"POST {path} HTTP/1.1\r\nAuthorization: Bearer sk-1\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    )
    try:
        return await reader.read()
    finally:
        writer.close()


async def test_a_request_that_is_not_http_leaves_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as base_url:
        address = URL(base_url)
        assert address.host is not None
        for raw in (b"garbage", b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc"):
            reader, writer = await asyncio.open_connection(address.host, address.port)
            writer.write(raw + b"\r\n\r\n")
            assert b" 400 " in await reader.readline()
            writer.close()
    assert "a request was not HTTP" in caplog.text
    assert "Traceback" not in caplog.text
