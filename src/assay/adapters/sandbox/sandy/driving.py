"""Programs run by the driver inside a remote sandbox, and files written and read there."""

import asyncio
import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from uuid import uuid4

import orjson

from assay.adapters.sandbox.sandy.agents import AgentTask, AgentWork, run_agent
from assay.adapters.sandbox.sandy.service import SandyService
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import MIB, Confinement, ExecResult, Limits, Status

_DRIVER = files("assay.adapters.sandbox.sandy").joinpath("driver.py").read_text(encoding="utf-8")
_DRIVER_PATH = "/tmp/assay-driver.py"  # noqa: S108 # in the remote sandbox
_SLACK_S = 30.0
_SHOWN = 300
# Parts of larger files, small enough for a request or its answer. Three bytes become four characters, so that
# parts of the text follow each other as those of the file do.
_PART_BYTES = 6 * MIB
# Of one argument of a command, half of what Linux takes.
_MOST_ARGUMENT = 60_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Cases for the driver, all with the same command and limits."""

    argv: Sequence[str]
    cases: Sequence[bytes]
    limits: Limits
    cwd: str
    env: Mapping[str, str]
    is_case: bool


class RemoteSandbox:
    """One sandbox of the service; every method raises SandboxError."""

    def __init__(self, service: SandyService, sandbox: str, confinement: Confinement) -> None:
        self._service = service
        self._sandbox = sandbox
        self._confinement = confinement

    async def prepare(self) -> None:
        await self._service.write(self._sandbox, _DRIVER_PATH, _DRIVER)

    async def run_agent(self, task: AgentTask) -> AgentWork:
        return await run_agent(self._service, self._sandbox, task)

    async def terminate(self) -> None:
        await self._service.terminate(self._sandbox)

    async def shell(self, command: str, *, within_s: float = _SLACK_S) -> str:
        """What a command of our own prints; raises SandboxError unless it ends with 0."""
        done = await self._service.exec(self._sandbox, command, timeout_s=within_s)
        if done.get("exitCode") != 0:
            said = str(done.get("stderr", "")).strip()[-_SHOWN:]
            raise SandboxError(f"the remote sandbox could not {command.partition(' ')[0]!r}: {said}")
        return str(done.get("stdout", ""))

    async def feed(self, content: bytes, command: str, *, within_s: float = _SLACK_S) -> str:
        """What a command of our own prints that reads `content`; repeating it must do no harm."""
        if len(content) <= _MOST_ARGUMENT * 3 // 4:
            encoded = base64.b64encode(content).decode()
            return await self.shell(f"printf %s {encoded} | base64 -d | {command}", within_s=within_s)
        name = f"/tmp/assay-{uuid4().hex}"  # noqa: S108
        parts: list[str] = []
        for start in range(0, len(content), _PART_BYTES):
            parts.append(f"{name}.{len(parts)}")
            part = base64.b64encode(content[start : start + _PART_BYTES]).decode()
            await self._service.write(self._sandbox, parts[-1], part)
        files = " ".join(parts)
        # They are gone if the command was done and only its answer was lost.
        script = f"[ -e {parts[0]} ] || exit 0; cat {files} | base64 -d | {command} && rm {files}"
        return await self.shell(script, within_s=within_s)

    async def read(self, path: str) -> bytes:
        """A file, in parts of which each fits into an answer; then it is removed."""
        size = int((await self.shell(f"wc -c < {path}")).strip() or 0)
        content = bytearray()
        for start in range(0, size, _PART_BYTES):
            part = f"tail -c +{start + 1} {path} | head -c {_PART_BYTES} | base64"
            try:
                content += base64.b64decode(await self.shell(part))
            except binascii.Error as error:
                raise SandboxError("the sandbox service cut the files it was asked for") from error
        if len(content) != size:
            raise SandboxError("the sandbox service cut the files it was asked for")
        await self.shell(f"rm -f {path}")
        return bytes(content)

    async def run(self, batch: Batch, *, beside: str = "") -> list[ExecResult]:
        """The results of the cases up to the first that failed; `beside` runs in the shell meanwhile.

        The order is there once, so that a call that is repeated after a lost answer runs nothing twice: then
        the sandbox, and not the program, has failed.
        """
        nonce = uuid4().hex
        job = f"/tmp/assay-{nonce}.json"  # noqa: S108
        order = json.dumps(_order(batch, nonce))
        encoded = base64.b64encode(order.encode()).decode()
        prepare = ""
        if len(encoded) <= _MOST_ARGUMENT:
            prepare = f"mkdir {job}.once && printf %s {encoded} | base64 -d > {job} && "
        else:
            await self._service.write(self._sandbox, job, order)
        timeout_s = batch.limits.wall_s * len(batch.cases) + _SLACK_S
        command = f"{prepare}python3 {_DRIVER_PATH} {job}"
        if beside:
            command = f"( {beside} ) > /dev/null 2>&1 & beside=$!; {command}; kill $beside"
        limits = batch.limits
        most_bytes = 2 * (limits.stdout_bytes + limits.stderr_bytes) * len(batch.cases) + MIB
        done = await self._service.exec(self._sandbox, command, timeout_s=timeout_s, most_bytes=most_bytes)
        stdout = str(done.get("stdout", ""))
        results, begun = await asyncio.to_thread(self._results, stdout, nonce)
        if begun > len(results):
            # A program can kill the driver; that is a result of the program, not a failure of the service.
            results.append(self._ended_driver(str(done.get("stderr", ""))))
        if not results:
            raise SandboxError(f"the remote sandbox ran nothing: {str(done.get('stderr'))[:300]}")
        return results

    def _results(self, stdout: str, nonce: str) -> tuple[list[ExecResult], int]:
        """The results, and how many cases were begun."""
        lines = list(_lines(stdout, nonce))
        return [self._result(line) for line in lines if "end" in line], sum("begin" in line for line in lines)

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


def _order(batch: Batch, nonce: str) -> dict[str, Json]:
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
