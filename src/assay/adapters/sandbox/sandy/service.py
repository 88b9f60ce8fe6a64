"""The calls of the remote service, with the retries that its contract requires."""

import asyncio
from collections.abc import Mapping
from io import BytesIO

import aiohttp
import orjson

from assay.domain.errors import SandboxError
from assay.domain.messages import Json

_TRIES = {"create": 3, "exec": 4, "write": 5, "terminate": 2, "read": 3}
_RETRIED = frozenset({408, 429}) | frozenset(range(500, 600))
_GONE = 404
_FIRST_FAILURE = 400
# Messages of the service's agent before any program has started.
_NOT_READY = ("vsock handshake failed", "agent not ready")
_FIRST_DELAY_S = 0.5
_CALL_S = 60.0
_SHOWN = 300


class SandyService:
    """Raises SandboxError; the key is sent in a header and never appears in a message."""

    def __init__(self, base_url: str, key: str | None, *, delay_s: float = _FIRST_DELAY_S) -> None:
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._delay_s = delay_s
        self._session = aiohttp.ClientSession(
            headers={"Authorization": f"Bearer {key}"} if key else None,
            connector=aiohttp.TCPConnector(limit=0),
        )

    async def resources(self) -> Mapping[str, Json]:
        return await self._call("read", "GET", "/api/resources")

    async def create(self) -> str:
        answer = await self._call("create", "POST", "/api/sandboxes", {"priority": 3, "preemptable": True})
        found = answer.get("sandboxId")
        if not isinstance(found, str) or not found:
            raise SandboxError(f"the sandbox service at {self._base_url!r} gave no sandboxId")
        return found

    async def exec(self, sandbox: str, command: str, *, timeout_s: float) -> Mapping[str, Json]:
        """Run a shell command; returns its stdout, stderr and exitCode."""
        body: dict[str, Json] = {
            "command": command,
            "cwd": "/",
            "env": {},
            "timeoutMs": int(timeout_s * 1000),
        }
        return await self._call(
            "exec", "POST", f"/api/sandboxes/{sandbox}/exec", body, timeout_s=timeout_s + _CALL_S
        )

    async def write(self, sandbox: str, path: str, content: str) -> None:
        body: dict[str, Json] = {"path": path, "content": content}
        await self._call("write", "POST", f"/api/sandboxes/{sandbox}/files/write", body)

    async def terminate(self, sandbox: str) -> None:
        """End a sandbox; it is not an error if it has already ended."""
        await self._call("terminate", "POST", f"/api/sandboxes/{sandbox}/terminate", {}, may_be_gone=True)

    async def close(self) -> None:
        await self._session.close()

    async def _call(
        self,
        kind: str,
        method: str,
        path: str,
        body: Json = None,
        *,
        timeout_s: float = _CALL_S,
        may_be_gone: bool = False,
    ) -> Mapping[str, Json]:
        delay_s = self._delay_s
        for tries_left in reversed(range(_TRIES[kind])):
            try:
                status, answer = await self._exchange(method, path, body, timeout_s=timeout_s)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                fault = f"does not answer: {type(error).__name__}"
            else:
                if status == _GONE and may_be_gone:
                    return {}
                if status < _FIRST_FAILURE and not _is_unready(answer):
                    return answer
                fault = f"answered {status}: {self._said(answer)}"
                if status >= _FIRST_FAILURE and status not in _RETRIED:
                    raise SandboxError(f"{method} {path}: the sandbox service {fault}")
            if not tries_left:
                raise SandboxError(f"{method} {path}: the sandbox service {fault}, {_TRIES[kind]} times")
            await asyncio.sleep(delay_s)
            delay_s *= 2
        raise SandboxError(f"{method} {path}: no call was made")

    async def _exchange(
        self, method: str, path: str, body: Json, *, timeout_s: float
    ) -> tuple[int, Mapping[str, Json]]:
        data = None if body is None else orjson.dumps(body)
        headers = {"Content-Type": "application/json"} if data is not None else {}
        async with self._session.request(
            method,
            self._base_url + path,
            data=None if data is None else BytesIO(data),
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=timeout_s),
            # A redirect would send the key to another host.
            allow_redirects=False,
        ) as response:
            text = await response.read()
            try:
                answer: Json = orjson.loads(text) if text.strip() else {}
            except orjson.JSONDecodeError:
                answer = {"error": text.decode(errors="replace")}
            return response.status, answer if isinstance(answer, Mapping) else {}

    def _said(self, answer: Mapping[str, Json]) -> str:
        said = str(
            next((answer[key] for key in ("error", "message", "detail", "stderr") if key in answer), "")
        )
        return said.replace(self._key, "…")[:_SHOWN] if self._key else said[:_SHOWN]


def _is_unready(answer: Mapping[str, Json]) -> bool:
    stderr = answer.get("stderr")
    return (
        isinstance(stderr, str) and answer.get("exitCode") != 0 and any(sign in stderr for sign in _NOT_READY)
    )
