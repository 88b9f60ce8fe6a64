"""Server-sent events as an HTTP response."""

import asyncio
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from assay.api.events.event_hub import Ending, EventHub
from assay.domain.access.visibility import Viewer
from assay.domain.run import RunId
from assay.engine.tasks import task_group

_KEEP_ALIVE: Final = b": keep-alive\n\n"
_DONE: Final = b"event: done\ndata: {}\n\n"
_HEADERS: Final = {"Cache-Control": "no-cache", "Connection": "keep-alive", "X-Accel-Buffering": "no"}


class EventStream(Response):
    """Sends events until the run is over, the client disconnects or falls behind."""

    media_type = "text/event-stream"

    def __init__(
        self,
        hub: EventHub,
        run_id: RunId | None = None,
        *,
        after: int | None = None,
        is_long_over: bool = False,
        viewer: Viewer | None = None,
    ) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._hub = hub
        self._run_id = run_id
        self._after = after
        self._is_long_over = is_long_over
        self._viewer = viewer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _ = scope
        async with task_group() as group:
            disconnected = group.create_task(_disconnected(receive))
            sending = group.create_task(self._send(send))
            await asyncio.wait([disconnected, sending], return_when=asyncio.FIRST_COMPLETED)
            disconnected.cancel()
            sending.cancel()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        with self._hub.listener(
            self._run_id, after=self._after, is_long_over=self._is_long_over, viewer=self._viewer
        ) as listener:
            while True:
                body = await listener.frames(timeout_s=self._hub.options.keep_alive_s)
                if not body and listener.ending is not None:
                    break
                await send({"type": "http.response.body", "body": body or _KEEP_ALIVE, "more_body": True})
        last = _DONE if listener.ending is Ending.DONE else b""
        await send({"type": "http.response.body", "body": last, "more_body": False})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
