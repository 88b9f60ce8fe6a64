"""Nothing that an endpoint sends stops the process, slows other runs, or becomes a number that is wrong."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.session import ClientLimits
from assay.adapters.simserver import wire
from assay.adapters.simserver.hostile import Kind, hostile_running
from assay.adapters.simserver.hostile_kinds import KINDS
from assay.adapters.simserver.script import Script
from assay.adapters.store.stores import open_stores
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.errors import CallError
from assay.engine.ports import Request
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter
from benchmarks.perf.hostile import BENCHMARK, KEY
from tests.conftest import REPOSITORY
from tests.integration.serving import client_of

MAX_SECONDS = 60.0
MAX_MB = 300.0
MAX_BLOCKED_MS = 250.0
MAX_SLOWDOWN = 1.1
# Enough ordinary calls end beside these on any machine.
LASTING = {"endless-chunks", "slow-error"}
TRIES = 4
REQUEST = Request(Prompt.of_user("hello"), Generation())


@dataclass(frozen=True)
class Measured:
    """What `benchmarks.perf.hostile` found, and the database that it left."""

    kinds: Sequence[dict[str, Any]]
    folder: Path

    @property
    def slowing(self) -> list[str]:
        """Kinds beside which ordinary calls took longer."""
        return [one["kind"] for one in self.kinds if (one["slowdown"] or 0) > MAX_SLOWDOWN]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measure(tmp_path_factory.mktemp("hostile"))


def measure(folder: Path, *kinds: str) -> Measured:
    figures = folder / "figures.json"
    command = [sys.executable, "-m", "benchmarks.perf.hostile", *kinds, "--json", str(figures)]
    done = subprocess.run(
        [*command, "--folder", str(folder)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    sys.stdout.write(done.stdout + done.stderr)  # shown if a test fails
    return Measured(json.loads(figures.read_bytes())["kinds"], folder)


def test_every_kind_ends_as_documented_and_soon(measured: Measured) -> None:
    assert [one["kind"] for one in measured.kinds] == list(KINDS)
    wrong = {
        one["kind"]: (one["ends"], one["message"], one["seconds"])
        for one in measured.kinds
        if not set(one["ends"]) <= set(one["expected"]) or one["seconds"] > MAX_SECONDS
    }
    assert not wrong


def test_no_kind_takes_much_memory(measured: Measured) -> None:
    assert not {one["kind"]: one["peak_mb"] for one in measured.kinds if one["peak_mb"] > MAX_MB}


def test_no_kind_blocks_the_event_loop(measured: Measured) -> None:
    blocked = {one["kind"]: one["blocked_ms"] for one in measured.kinds}
    assert not {kind: ms for kind, ms in blocked.items() if ms > MAX_BLOCKED_MS}


def test_ordinary_items_beside_them_are_not_slowed(measured: Measured, tmp_path: Path) -> None:
    assert {one["kind"] for one in measured.kinds if one["slowdown"] is not None} >= LASTING
    slowing = measured.slowing
    for number in range(1, TRIES):
        # Whatever else the machine does may slow them too, but not each time beside the same kinds.
        if not slowing:
            break
        folder = tmp_path / f"{number}"
        folder.mkdir()
        slowing = measure(folder, *slowing).slowing
    assert not slowing


def test_what_they_left_can_be_listed(measured: Measured) -> None:
    client = client_of(asyncio.run(opened(measured)))
    listed = client.get("/api/runs", params={"limit": 200}).json()
    assert len(listed["runs"]) >= len(KINDS)
    paths = [f"/api/leaderboard?benchmark={BENCHMARK}", "/api/ops/overview", "/metrics"]
    paths += [f"/api/runs/{run['id']}" for run in listed["runs"]]
    assert {client.get(path).status_code for path in paths} == {200}


async def test_a_key_that_is_sent_back_is_stored_nowhere(measured: Measured) -> None:
    stores = await opened(measured)
    found = [
        attempt
        for run in (await stores.runs.page(RunFilter(limit=200))).runs
        if "/key-in-" in (run.spec.base_url or "")
        for evaluation in await stores.runs.evaluations(run.id)
        async for attempt in stores.attempts.whole(evaluation.id)
    ]
    assert {attempt.outcome.is_verdict for attempt in found} == {True, False}
    assert KEY not in repr(found)


async def opened(measured: Measured) -> Stores:
    return await open_stores(f"sqlite:///{measured.folder / 'hostile.db'}")


def recorded(*, is_chunked: bool) -> tuple[bytes, int]:
    """A stream as the test endpoint sends it, and how many bytes of it make the answer complete."""
    script = Script(answer="fixed", text="The answer is (A).", chunks=2)
    events = [b"data: %b\n\n" % chunk for chunk in wire.content_chunks(script, "test/fixed", script.text)]
    usage = wire.usage_json(script, "hello", script.text)
    rest = [b"data: %b\n\n" % wire.usage_chunk("test/fixed", usage), b"data: [DONE]\n\n"]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    if is_chunked:
        head += b"Transfer-Encoding: chunked\r\n"
        events, rest = ([b"%x\r\n%b\r\n" % (len(one), one) for one in part] for part in (events, rest))
    reply = head + b"\r\n" + b"".join(events)
    # The line ends after the last event say nothing more, nor does the end of its chunk.
    complete = len(reply) - (4 if is_chunked else 2)
    return reply + b"".join(rest), complete


def recorded_whole() -> tuple[bytes, int]:
    script = Script(answer="fixed", text="The answer is (A).")
    body = wire.unary_body(
        script, wire.Ask("test/fixed", "hello", stream=False, wants_usage=False, fields=frozenset())
    )
    reply = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    return reply, len(reply)


@pytest.mark.parametrize(
    ("reply", "complete"),
    [recorded(is_chunked=False), recorded(is_chunked=True), recorded_whole()],
    ids=["stream", "chunked stream", "whole"],
)
async def test_a_reply_that_is_cut_at_any_byte_is_never_an_answer(reply: bytes, complete: int) -> None:
    kinds = {f"{size}": Kind("", (), ((reply[:size],),), ()) for size in range(len(reply) + 1)}
    directory = HttpModelDirectory(
        {}, options=ClientOptions(limits=ClientLimits(silence_s=20.0, total_s=30.0))
    )
    places = asyncio.Semaphore(32)
    async with hostile_running(kinds, host="127.0.0.1", port=0) as address:

        async def asked(size: int) -> Completion | CallError:
            client = directory.open("vllm/m", base_url=f"{address}/{size}/v1")
            async with places:
                try:
                    return await client.complete(REQUEST)
                except CallError as error:
                    return error
                finally:
                    await client.close()

        ends = await asyncio.gather(*(asked(size) for size in range(len(reply) + 1)))
    assert [type(end).__name__ for end in ends[:complete] if isinstance(end, Completion)] == []
    assert {end.answer for end in ends[complete:] if isinstance(end, Completion)} == {"The answer is (A)."}
    assert not [end for end in ends[complete:] if isinstance(end, CallError)]
