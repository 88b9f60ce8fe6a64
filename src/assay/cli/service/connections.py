"""Ends connections of callers that have gone, or that only hold them open."""

import asyncio
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADERS_S: Final = 20.0
KEEP_ALIVE_S: Final = 20


class TimedHttpProtocol(HttpToolsProtocol):
    """Closes a connection on which the headers of a request are not complete in time.

    The server itself limits only the time between two requests.
    """

    headers_s = HEADERS_S
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] # as the class above
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._start_timer()

    def on_headers_complete(self) -> None:
        self._stop_timer()
        super().on_headers_complete()

    def _start_timer(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(self.headers_s, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
