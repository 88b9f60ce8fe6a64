"""A session in a sandbox of the remote service."""

import base64
import binascii
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from uuid import uuid4

import orjson

from assay.adapters.sandbox.archives import packed, unpacked
from assay.adapters.sandbox.open_session import CommandSession
from assay.adapters.sandbox.sandy.service import SandyService
from assay.domain.errors import SandboxError
from assay.domain.messages import Json
from assay.domain.sandbox import MIB, WORKSPACE, Confinement, ExecResult, Limits, Spec, Status

_DRIVER = files("assay.adapters.sandbox.sandy").joinpath("driver.py").read_text(encoding="utf-8")
_DRIVER_PATH = "/tmp/assay-driver.py"  # noqa: S108 # of the remote sandbox
_MAX_BATCH_BYTES = 16 * MIB
_MAX_BATCH_CASES = 50
_SLACK_S = 30.0


@dataclass(frozen=True, slots=True)
class _Batch:
    """Cases for the driver, all with the same command and limits."""

    argv: Sequence[str]
    cases: Sequence[bytes]
    limits: Limits
    cwd: str
    env: Mapping[str, str]
    is_case: bool


class SandySession(CommandSession):
    def __init__(
        self,
        service: SandyService,
        sandbox: str,
        *,
        spec: Spec,
        confinement: Confinement,
        on_close: Callable[[], None],
    ) -> None:
        super().__init__(spec, confinement, on_close=on_close)
        self._service = service
        self._sandbox = sandbox

    async def prepare(self) -> None:
        await self._service.write(self._sandbox, _DRIVER_PATH, _DRIVER)
        await self._shell(f"mkdir -p {WORKSPACE} && chmod 755 {WORKSPACE}")

    async def put(self, files: Mapping[str, bytes]) -> None:
        # The service accepts text only: one archive for all files, as base64.
        name = f"/tmp/assay-{uuid4().hex}.b64"  # noqa: S108
        await self._service.write(self._live(), name, base64.b64encode(packed(files, owner=0)).decode())
        await self._shell(f"base64 -d {name} | tar -xf - --no-same-owner -C {WORKSPACE} && rm {name}")

    async def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> ExecResult:
        environment = {**self._spec.env, **(env or {})}
        batch = _Batch(
            argv, [stdin], limits or self._spec.limits, cwd or WORKSPACE, environment, is_case=False
        )
        return (await self._run(batch))[0]

    async def exec_many(
        self, source: str, cases: Sequence[bytes], *, limits: Limits | None = None
    ) -> AsyncGenerator[ExecResult]:
        argv = await self._command_of(source)
        chosen = limits or self._spec.limits
        done = 0
        while done < len(cases):
            batch = _Batch(argv, _next_cases(cases, done), chosen, "", self._spec.env, is_case=True)
            # The driver stops after a case that failed: the remaining cases go into the next batch.
            for result in await self._run(batch):
                done += 1
                yield result

    async def get(
        self, patterns: Sequence[str], *, max_files: int = 1000, max_bytes: int = 64 * MIB
    ) -> dict[str, bytes]:
        packed_files = await self._shell(f"tar -cf - -C {WORKSPACE}/.. {WORKSPACE.strip('/')} | base64")
        try:
            archive = base64.b64decode(packed_files)
        except binascii.Error as error:
            raise SandboxError("the sandbox service cut the files it was asked for") from error
        return unpacked(archive, patterns, max_files=max_files, max_bytes=max_bytes)

    async def _end(self) -> None:
        await self._service.terminate(self._sandbox)

    async def _shell(self, command: str) -> str:
        done = await self._service.exec(self._live(), command, timeout_s=_SLACK_S)
        if done.get("exitCode") != 0:
            raise SandboxError(
                f"the remote sandbox could not {command.partition(' ')[0]!r}: {str(done.get('stderr'))[:300]}"
            )
        return str(done.get("stdout", ""))

    async def _run(self, batch: _Batch) -> list[ExecResult]:
        nonce = uuid4().hex
        job = f"/tmp/assay-{nonce}.json"  # noqa: S108
        await self._service.write(self._live(), job, json.dumps(_order(batch, nonce)))
        timeout_s = batch.limits.wall_s * len(batch.cases) + _SLACK_S
        command = f"python3 {_DRIVER_PATH} {job}"
        done = await self._service.exec(self._live(), command, timeout_s=timeout_s)
        lines = list(_lines(str(done.get("stdout", "")), nonce))
        results = [self._result(line) for line in lines if "end" in line]
        begun = sum("begin" in line for line in lines)
        if begun > len(results):
            # A program can kill the driver; that is a result of the program, not a failure of the service.
            results.append(self._ended_driver(str(done.get("stderr", ""))))
        if not results:
            raise SandboxError(f"the remote sandbox ran nothing: {str(done.get('stderr'))[:300]}")
        return results

    def _live(self) -> str:
        self._require_open()
        return self._sandbox

    def _result(self, line: Mapping[str, Json]) -> ExecResult:
        try:
            return ExecResult(
                status=Status(str(line["status"])),
                exit_code=_whole(line["exit_code"]),
                signal=_whole(line["signal"]),
                stdout=base64.b64decode(str(line["stdout"])),
                stderr=base64.b64decode(str(line["stderr"])),
                truncated=line.get("truncated") is True,
                cpu_s=float(str(line["cpu_s"])),
                wall_s=float(str(line["wall_s"])),
                peak_bytes=None,
                confinement=self._confinement,
            )
        except (KeyError, ValueError) as error:
            raise SandboxError("the remote sandbox gave a result that cannot be read") from error

    def _ended_driver(self, stderr: str) -> ExecResult:
        return ExecResult(
            Status.SIGNAL, None, 9, b"", stderr.encode(), truncated=False, cpu_s=None, wall_s=0.0,
            peak_bytes=None, confinement=self._confinement,
        )  # fmt: skip


def _next_cases(cases: Sequence[bytes], start: int) -> list[bytes]:
    chosen: list[bytes] = []
    total = 0
    for case in cases[start : start + _MAX_BATCH_CASES]:
        total += len(case)
        if chosen and total > _MAX_BATCH_BYTES:
            break
        chosen.append(case)
    return chosen


def _order(batch: _Batch, nonce: str) -> dict[str, Json]:
    return {
        "nonce": nonce,
        "argv": list(batch.argv),
        "cases": [base64.b64encode(case).decode() for case in batch.cases],
        "limits": asdict(batch.limits),
        "cwd": batch.cwd,
        "env": dict(batch.env),
        "is_case": batch.is_case,
        "stop": True,
    }


def _lines(stdout: str, nonce: str) -> Iterator[Mapping[str, Json]]:
    for text in stdout.splitlines():
        try:
            line: Json = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if isinstance(line, Mapping) and line.get("nonce") == nonce:
            yield line


def _whole(found: Json) -> int | None:
    return found if isinstance(found, int) else None
