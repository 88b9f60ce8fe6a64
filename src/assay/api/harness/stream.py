"""The attempts of a run as they are stored, over a WebSocket.

Everything is read from the store: who subscribes late gets the same messages, whichever process serves them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from assay.api.access.actor import actor_of, require_identity, viewer_of
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.api.events.event_hub import EventHub, Listener
from assay.api.harness.family import CODE, EXPERT_QA, Family
from assay.api.harness.ids import is_run_id
from assay.api.streams import json_bytes
from assay.domain.errors import UnknownNameError
from assay.domain.json_value import Json
from assay.domain.run import Run, State
from assay.engine.code_harness.attempts import CodeAttempt, attempt_document
from assay.engine.code_harness.questions import question_document
from assay.engine.code_harness.summary import CodeRun

live = APIRouter()

_REFUSED: Final = 1008
_RESTARTING: Final = 1012
_UNKNOWN_RUN: Final = 4404
# Reads the run again although no event came: events are lost with a worker that dies.
_READ_AGAIN_S: Final = 10.0
_MESSAGE: Final = (
    "model",
    "task_id",
    "sample_index",
    "status",
    "duration_seconds",
    "cost_usd",
    "error",
    "diff_rewrite_fallback_used",
    "provider",
    "thinking_level_applied",
    "thinking_level_requested",
)
_METADATA: Final = (
    "timestamp_utc",
    "tasks",
    "question_count",
    "models",
    "provider",
    "samples",
    "temperature",
    "max_tokens",
    "include_tests",
    "allow_incomplete_diffs",
    "allow_diff_rewrite_fallback",
    "thinking_levels",
)


@dataclass(frozen=True, slots=True)
class _StreamedRun:
    """A run at one moment: if its state is final, its attempts are all there are."""

    found: CodeRun
    family: Family
    message: Callable[[CodeAttempt], Mapping[str, Json]]

    @property
    def run(self) -> Run:
        return self.found.run

    @property
    def metadata(self) -> dict[str, Json]:
        document = self.summary
        return {name: document[name] for name in _METADATA if name in document}

    @property
    def messages(self) -> list[tuple[Hashable, Mapping[str, Json]]]:
        """A message for each attempt, with a key that changes when the attempt is made again."""
        return [((one.folder, one.attempt.finished_at), self.message(one)) for one in self.found.attempts]

    @property
    def summary(self) -> dict[str, Json]:
        return self.family.summary(self.found)


_Read = Callable[[], Awaitable[_StreamedRun]]


@live.websocket("/runs/{run_id}/stream")
async def stream_harness_run(websocket: WebSocket, run_id: str) -> None:
    """`init`, then an `attempt` for each, then `complete` or `error`."""
    await _stream(websocket, run_id, CODE, _message)


@live.websocket("/qa/runs/{run_id}/stream")
async def stream_qa_run(websocket: WebSocket, run_id: str) -> None:
    """The same for a run of Expert QA."""
    await _stream(websocket, run_id, EXPERT_QA, _question_message)


async def _stream(
    websocket: WebSocket,
    run_id: str,
    family: Family,
    message: Callable[[CodeAttempt], Mapping[str, Json]],
) -> None:
    """Send a run from its beginning to its end; closes with 4404 where there is no such run."""
    services: ApiServices = websocket.app.state.services
    try:
        actor = await actor_of(websocket)
        require_identity(actor)
    except ProblemError as error:
        await websocket.close(_REFUSED, error.problem.detail)
        return
    seen = services.seen_by(viewer_of(actor, services))

    async def read() -> _StreamedRun:
        if not is_run_id(run_id):
            raise UnknownNameError("run", run_id)
        return _StreamedRun(await family.read(seen, run_id), family, message)

    # A code of our own can be sent only on an open connection.
    await websocket.accept()
    disconnected = asyncio.create_task(_disconnected(websocket))
    sending = asyncio.create_task(_send(websocket, read))
    try:
        await asyncio.wait([disconnected, sending], return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            await websocket.close(sending.result())
    except (WebSocketDisconnect, RuntimeError):
        # Starlette raises either, depending on when the client went away.
        pass
    finally:
        disconnected.cancel()
        sending.cancel()


async def _send(websocket: WebSocket, read: _Read) -> int:
    """Returns the code to close with."""
    services: ApiServices = websocket.app.state.services
    hub: EventHub = websocket.app.state.events
    newest = await services.stores.events.newest_id()
    try:
        found = await read()
    except UnknownNameError:
        return _UNKNOWN_RUN
    with hub.listener(found.run.id, after=newest) as listener:
        await _send_json(websocket, {"type": "init", "run_id": found.run.id, "metadata": found.metadata})
        return await _follow(websocket, listener, found, read)


async def _follow(websocket: WebSocket, listener: Listener, found: _StreamedRun, read: _Read) -> int:
    sent: set[Hashable] = set()
    while True:
        for key, message in found.messages:
            if key not in sent:
                await _send_json(websocket, message)
                sent.add(key)
        if found.run.state.is_final:
            await _send_json(websocket, _last(found))
            return 1000
        if listener.ending is not None:
            return _RESTARTING
        await listener.frames(timeout_s=_READ_AGAIN_S)
        found = await read()


def _last(found: _StreamedRun) -> Mapping[str, Json]:
    if found.run.state is State.SUCCEEDED:
        return {"type": "complete", "summary": found.summary}
    return {"type": "error", "message": found.run.error or "the run was canceled"}


def _message(one: CodeAttempt) -> dict[str, Json]:
    document = attempt_document(one)
    return {"type": "attempt", **{name: document[name] for name in _MESSAGE}, **_tokens(one)}


def _question_message(one: CodeAttempt) -> dict[str, Json]:
    return {"type": "attempt", **question_document(one), **_tokens(one)}


def _tokens(one: CodeAttempt) -> dict[str, Json]:
    usage = one.attempt.usage
    return {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}


async def _send_json(websocket: WebSocket, message: Mapping[str, Json]) -> None:
    await websocket.send_text(json_bytes(message).decode())


async def _disconnected(websocket: WebSocket) -> None:
    """Messages of the client are ignored."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
