"""The models of LM Studio on this machine, through its program `lms`."""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assay.adapters.models.json_text import loads, repaired_text
from assay.domain.access.secret import printable, redacted
from assay.domain.calls.messages import Json
from assay.domain.errors import EndpointError, UnknownNameError, nearest_names
from assay.engine.models.local_models import LocalModel

_PROGRAM: Final = "lms"
# All that it needs; the rest of the environment holds keys of providers.
_VARIABLES: Final = ("PATH", "HOME", "LANG", "USERPROFILE", "SYSTEMROOT")
_MAX_OUTPUT_BYTES: Final = 4 * 1024 * 1024
_EXCERPT_CHARS: Final = 300
_CHAT_TYPES: Final = frozenset({"llm", "vlm"})


@dataclass(frozen=True, slots=True)
class LmsLimits:
    list_s: float = 30.0
    load_s: float = 900.0


class LmStudio:
    def __init__(self, environment: Mapping[str, str], limits: LmsLimits | None = None) -> None:
        self._environment = {name: environment[name] for name in _VARIABLES if name in environment}
        self._limits = limits or LmsLimits()
        self._switching = asyncio.Lock()

    @property
    def is_installed(self) -> bool:
        return self._program is not None

    @property
    def _program(self) -> str | None:
        return shutil.which(_PROGRAM, path=self._environment.get("PATH", os.defpath))

    async def models(self) -> tuple[LocalModel, ...]:
        loaded = {key for one in await self._listed("ps") for key in _keys(one)}
        found = (_model(one, loaded) for one in await self._listed("ls"))
        return tuple(one for one in found if one is not None)

    async def switch(self, key: str) -> None:
        """One at a time: two that load models at once would have both in memory."""
        async with self._switching:
            known = [one.key for one in await self.models()]
            # Only what it lists is passed on, so that no name is read as an option.
            if key not in known or key.startswith("-"):
                nearest = nearest_names(key, known)
                raise UnknownNameError(
                    "model in LM Studio", key, nearest=nearest, remedy="`lms ls` lists all"
                )
            await self._run("unload", "--all", within_s=self._limits.load_s)
            await self._run("load", key, within_s=self._limits.load_s)

    async def _listed(self, command: str) -> list[Mapping[str, Json]]:
        output = await self._run(command, "--json", within_s=self._limits.list_s)
        try:
            value = loads(output)
        except ValueError as error:
            raise EndpointError(f"`lms {command} --json` printed something that is not JSON") from error
        if not isinstance(value, list):
            raise EndpointError(f"`lms {command} --json` printed JSON that is not a list")
        return [one for one in value if isinstance(one, dict)]

    async def _run(self, *arguments: str, within_s: float) -> bytes:
        """What it prints to standard output."""
        command = " ".join((_PROGRAM, *arguments))
        process = await self._started(command, arguments)
        try:
            async with asyncio.timeout(within_s):
                output, complaint = await asyncio.gather(_read(process.stdout), _read(process.stderr))
                status = await process.wait()
        except TimeoutError as error:
            raise EndpointError(f"`{command}` did not end within {within_s:g} s") from error
        finally:
            if process.returncode is None:
                _kill_group(process)
                await process.wait()
        if status != 0:
            raise EndpointError(f"`{command}` failed with status {status}{_said(complaint or output)}")
        return output

    async def _started(self, command: str, arguments: tuple[str, ...]) -> asyncio.subprocess.Process:
        program = self._program
        if program is None:
            raise EndpointError("the program `lms` of LM Studio is not on PATH")
        try:
            return await asyncio.create_subprocess_exec(
                program,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=self._environment,
                start_new_session=True,
            )
        except OSError as error:
            raise EndpointError(f"`{command}` could not be started: {error.strerror}") from error


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    """All of it, of which only the beginning is kept: a program that cannot write would wait for ever."""
    kept = bytearray()
    while stream is not None and (block := await stream.read(64 * 1024)):
        kept += block[: _MAX_OUTPUT_BYTES - len(kept)]
    return bytes(kept)


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _said(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    text = printable(redacted(" ".join(lines)))
    return f": {text[:_EXCERPT_CHARS]}" if text else ""


def _model(entry: Mapping[str, Json], loaded: set[str]) -> LocalModel | None:
    key, kind = _text(entry.get("modelKey")), entry.get("type", "llm")
    if key is None or kind not in _CHAT_TYPES:
        return None
    return LocalModel(
        key=key,
        name=_text(entry.get("displayName")) or key,
        is_loaded=not loaded.isdisjoint(_keys(entry)),
        size_bytes=_count(entry.get("sizeBytes")),
        context_tokens=_count(entry.get("maxContextLength")),
    )


def _keys(entry: Mapping[str, Json]) -> set[str]:
    named = (_text(entry.get(name)) for name in ("modelKey", "path", "identifier"))
    return {name for name in named if name is not None}


def _text(value: Json) -> str | None:
    return repaired_text(value) if isinstance(value, str) and value else None


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
