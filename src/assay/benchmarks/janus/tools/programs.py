"""The tool that runs a program the model wrote, in the sandbox."""

from collections.abc import Mapping

from assay.benchmarks.janus.tools.errors import ToolError
from assay.domain.programs.sandbox import KIB, ExecResult, Limits, Sandbox, Spec, Status

_LIMITS = Limits(cpu_s=5.0, wall_s=20.0, stdout_bytes=16 * KIB, stderr_bytes=16 * KIB)
_MOST_ERROR_CHARACTERS = 1_500
_PROGRAM = "main.py"


async def run_python(sandbox: Sandbox, code: str, files: Mapping[str, str]) -> str:
    """What the program printed; SandboxError is left to the caller, for it is not the model's fault."""
    content = {path: text.encode() for path, text in files.items() if path != _PROGRAM}
    async with await sandbox.open(Spec(profile="python", limits=_LIMITS)) as session:
        await session.put({**content, _PROGRAM: code.encode()})
        result = await session.exec(["python3", _PROGRAM], limits=_LIMITS)
    if result.status is Status.OK:
        return result.stdout.decode("utf-8", "replace")
    raise ToolError(_failure(result))


def _failure(result: ExecResult) -> str:
    if result.status is Status.NONZERO:
        error = result.stderr.decode("utf-8", "replace").strip()[-_MOST_ERROR_CHARACTERS:]
        return f"the program ended with exit code {result.exit_code}: {error}"
    ending = result.status.value.replace("_", " ")
    return f"the program was ended by the {ending}: it may take 5 s and print 16 KiB"
