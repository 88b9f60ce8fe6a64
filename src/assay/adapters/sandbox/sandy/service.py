"""The calls of the remote service, with the retries that its contract requires."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from io import BytesIO

import aiohttp
import orjson

from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import MIB

_TRIES = {"create": 3, "exec": 4, "write": 5, "terminate": 2, "read": 3}
_RETRIED = frozenset({408, 429}) | frozenset(range(500, 600))
_GONE = 404
# Redirects are not followed.
_FIRST_FAILURE = 300
# Messages of the service's agent before any program has started.
_NOT_READY = ("vsock handshake failed", "agent not ready")
_FIRST_DELAY_S = 0.5
_PATIENCE_S = 60.0
_MOST_BYTES = 32 * MIB
_MOST_LINE_BYTES = 4 * MIB
_SHOWN = 300


class SandyService:
    """Raises SandboxError; the key is sent in a header and never appears in a message.

    `patience_s` is how long a call may take beside the command that it runs.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        delay_s: float = _FIRST_DELAY_S,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._delay_s = delay_s
        self._patience_s = patience_s
        self._session = aiohttp.ClientSession(
            headers={"Authorization": f"Bearer {key}"} if key else None,
            connector=aiohttp.TCPConnector(limit=0),
        )

    async def resources(self) -> Mapping[str, Json]:
        return await self._call("read", "GET", "/api/resources")

    async def create(self, further: Mapping[str, Json] | None = None) -> str:
        """A sandbox of low priority; `further` are fields of the request beside that."""
        body: dict[str, Json] = {"priority": 3, "preemptable": True, **(further or {})}
        answer = await self._call("create", "POST", "/api/sandboxes", body)
        found = answer.get("sandboxId")
        if not isinstance(found, str) or not found:
            raise SandboxError(f"the sandbox service at {self._base_url!r} gave no sandboxId")
        return found

    async def exec(
        self, sandbox: str, command: str, *, timeout_s: float, most_bytes: int = _MOST_BYTES
    ) -> Mapping[str, Json]:
        """Run a shell command; returns its stdout, stderr and exitCode."""
        body: dict[str, Json] = {
            "command": command,
            "cwd": "/",
            "env": {},
            "timeoutMs": int(timeout_s * 1000),
        }
        return await self._call(
            "exec",
            "POST",
            f"/api/sandboxes/{sandbox}/exec",
            body,
            timeout_s=timeout_s + self._patience_s,
            most_bytes=max(most_bytes, _MOST_BYTES),
        )

    async def write(self, sandbox: str, path: str, content: str) -> None:
        body: dict[str, Json] = {"path": path, "content": content}
        await self._call("write", "POST", f"/api/sandboxes/{sandbox}/files/write", body)

    async def terminate(self, sandbox: str) -> None:
        """End a sandbox; it is not an error if it has already ended."""
        await self._call("terminate", "POST", f"/api/sandboxes/{sandbox}/terminate", {}, may_be_gone=True)

    async def agent_events(
        self, sandbox: str, task: Mapping[str, Json], *, within_s: float
    ) -> AsyncGenerator[Mapping[str, Json]]:
        """What an agent of the service tells while it works; not asked twice, since it may have begun."""
        path = f"/api/sandboxes/{sandbox}/agent/run"
        try:
            async with self._session.post(
                self._base_url + path,
                data=BytesIO(orjson.dumps(task)),
                headers={"Content-Type": "application/json"},
                timeout=aiohttp.ClientTimeout(total=within_s + self._patience_s),
                allow_redirects=False,
            ) as response:
                if response.status >= _FIRST_FAILURE:
                    answer = _parsed(await _bounded(response, _MOST_BYTES)) or {}
                    said = f"answered {response.status}: {self._said(answer)}"
                    raise SandboxError(f"POST {path}: the sandbox service {said}")
                async for line in _lines(response):
                    event = _parsed(line.removeprefix(b"data:"))
                    if event:
                        yield event
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            # Not chained: such errors may hold the headers, with the key.
            fault = type(error).__name__
            raise SandboxError(f"POST {path}: the sandbox service broke off: {fault}") from None

    async def close(self) -> None:
        await self._session.close()

    async def _call(
        self,
        kind: str,
        method: str,
        path: str,
        body: Json = None,
        *,
        timeout_s: float | None = None,
        most_bytes: int = _MOST_BYTES,
        may_be_gone: bool = False,
    ) -> Mapping[str, Json]:
        within_s = self._patience_s if timeout_s is None else timeout_s
        delay_s = self._delay_s
        for tries_left in reversed(range(_TRIES[kind])):
            try:
                status, answer = await self._exchange(
                    method, path, body, timeout_s=within_s, most_bytes=most_bytes
                )
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                fault = f"does not answer: {type(error).__name__}"
            else:
                if status == _GONE and may_be_gone:
                    return {}
                if status < _FIRST_FAILURE and not _is_unready(answer):
                    return _usable(f"{method} {path}", answer)
                fault = f"answered {status}: {self._said(answer or {})}"
                if status >= _FIRST_FAILURE and status not in _RETRIED:
                    raise SandboxError(f"{method} {path}: the sandbox service {fault}")
            if not tries_left:
                raise SandboxError(f"{method} {path}: the sandbox service {fault}, {_TRIES[kind]} times")
            await asyncio.sleep(delay_s)
            delay_s *= 2
        raise SandboxError(f"{method} {path}: no call was made")

    async def _exchange(
        self, method: str, path: str, body: Json, *, timeout_s: float, most_bytes: int
    ) -> tuple[int, Mapping[str, Json] | None]:
        """The status, and the answer or None if it is not JSON."""
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
            return response.status, _parsed(await _bounded(response, most_bytes))

    def _said(self, answer: Mapping[str, Json]) -> str:
        said = str(
            next((answer[key] for key in ("error", "message", "detail", "stderr") if key in answer), "")
        )
        return said.replace(self._key, "…")[:_SHOWN] if self._key else said[:_SHOWN]


def _is_unready(answer: Mapping[str, Json] | None) -> bool:
    if answer is None or answer.get("exitCode") == 0:
        return False
    stderr = answer.get("stderr")
    return isinstance(stderr, str) and any(sign in stderr for sign in _NOT_READY)


def _usable(call: str, answer: Mapping[str, Json] | None) -> Mapping[str, Json]:
    if answer is None:
        raise SandboxError(f"{call}: the sandbox service sent something that is not JSON")
    return answer


async def _bounded(response: aiohttp.ClientResponse, most_bytes: int) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > most_bytes:
            raise SandboxError(f"the sandbox service answered with more than {most_bytes // MIB} MiB")
    return bytes(content)


async def _lines(response: aiohttp.ClientResponse) -> AsyncGenerator[bytes]:
    rest = bytearray()
    async for chunk in response.content.iter_any():
        rest += chunk
        *lines, last = rest.split(b"\n")
        for line in lines:
            yield bytes(line)
        rest = last
        if len(rest) > _MOST_LINE_BYTES:
            raise SandboxError(f"the sandbox service sent a line of more than {_MOST_LINE_BYTES // MIB} MiB")
    yield bytes(rest)


def _parsed(text: bytes) -> Mapping[str, Json] | None:
    """None if it is not JSON; a value that is no object says nothing."""
    if not text.strip():
        return {}
    try:
        found: Json = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, Mapping) else {}
