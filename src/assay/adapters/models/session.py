"""The connections that all models of a process share, and their limits."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from yarl import URL

from assay.adapters.models.wire.pool import ConnectionPool
from assay.adapters.models.wire.proxy import proxy_for


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Timeouts and sizes; `silence_s` ends a silent stream, whole replies have `total_s` alone."""

    connect_s: float = 15.0
    # Below the 5 s after which uvicorn, and so most local servers, close an idle connection.
    keep_alive_s: float = 4.0
    silence_s: float = 300.0
    total_s: float = 1_800.0
    check_s: float = 15.0
    max_reply_bytes: int = 32 * 1024 * 1024

    def ending_after(self, total_s: float) -> "ClientLimits":
        """The same limits with no call longer than this."""
        return replace(
            self,
            connect_s=min(self.connect_s, total_s),
            silence_s=min(self.silence_s, total_s),
            total_s=total_s,
        )


class SharedSession:
    """One pool of connections per origin; they are closed when the last user leaves.

    The environment names the proxies.
    """

    def __init__(self, limits: ClientLimits, environment: Mapping[str, str]) -> None:
        self._limits = limits
        self._environment = environment
        self._users = 0
        self._pools: dict[URL, ConnectionPool] = {}
        # One for all origins: it holds every certificate of the system.
        self._tls = cache(ssl.create_default_context)

    def pool(self, url: URL) -> ConnectionPool:
        origin = url.origin()
        if origin not in self._pools:
            proxy = proxy_for(origin, self._environment)
            self._pools[origin] = ConnectionPool(
                origin,
                connect_s=self._limits.connect_s,
                keep_alive_s=self._limits.keep_alive_s,
                tls=self._tls,
                proxy=proxy,
            )
        return self._pools[origin]

    def join(self) -> None:
        self._users += 1

    def leave(self) -> None:
        self._users -= 1
        if self._users > 0:
            return
        for pool in self._pools.values():
            pool.close()
