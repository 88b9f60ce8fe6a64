"""A tmux session in a container, used as the official harness uses it."""

import asyncio
from collections.abc import Sequence

from assay.domain.errors import SandboxError
from assay.domain.programs.containers import Container
from assay.domain.programs.sandbox import MIB, ExecResult, Status

_COLUMNS, _ROWS, _HISTORY = 160, 40, 50_000
# 50,000 lines of 160 characters of up to four bytes.
_SCREEN_BYTES = 40 * MIB
_CALL_S = 120.0
_TIMED_OUT = 124
_LOOKS, _LOOK_S = 50, 0.1
_DONE = "; tmux wait -S done"
# In a single argument of a program.
_MOST_KEY_BYTES = 100_000


class TerminalLostError(Exception):
    """The session or its container ended; `status` says how, if a limit ended it."""

    def __init__(self, reason: str, status: Status) -> None:
        super().__init__(reason)
        self.status = status


class Terminal:
    def __init__(self, container: Container, session: str, *, is_root: bool) -> None:
        self._container = container
        self._session = session
        self._is_root = is_root
        self._previous: str | None = None

    async def start(self) -> None:
        script = (
            f"tmux new-session -x {_COLUMNS} -y {_ROWS} -d -s {self._session} \\;"
            f" set-option -t {self._session} history-limit {_HISTORY}"
        )
        await self._run(["bash", "-c", script])
        # Until the shell is ready: an earlier screen would differ from one execution to the next.
        for _ in range(_LOOKS):
            if (await self.screen(is_whole=False)).strip():
                return
            await asyncio.sleep(_LOOK_S)

    async def type(self, keys: str, *, wait_s: float) -> None:
        """Send keys, which may name special ones, and wait for so long."""
        for part in _parts(keys):
            await self._run(["tmux", "send-keys", "-t", self._session, "--", part])
        await asyncio.sleep(wait_s)

    async def run(self, command: str, *, within_s: float) -> bool:
        """Type a command and wait for its end; False if it does not come in time."""
        await self._run(["tmux", "send-keys", "-t", self._session, command, _DONE, "Enter"])
        wait = ["timeout", f"{within_s:g}s", "tmux", "wait", "done"]
        result = await self._exec(wait, wall_s=within_s + _CALL_S)
        if result.status is Status.NONZERO and result.exit_code != _TIMED_OUT:
            raise TerminalLostError(_said(result), result.status)
        if result.status not in (Status.OK, Status.NONZERO):
            raise TerminalLostError(_said(result), result.status)
        return result.status is Status.OK

    async def clear(self) -> None:
        """Forget everything on the screen and before it."""
        await self._run(["tmux", "send-keys", "-R", "-t", self._session])
        await self._run(["tmux", "clear-history", "-t", self._session])

    async def screen(self, *, is_whole: bool) -> str:
        """What is visible, or everything back to the beginning."""
        all_lines = ["-S", "-"] if is_whole else []
        shown = await self._run(["tmux", "capture-pane", "-p", *all_lines, "-t", self._session])
        return shown.stdout.decode("utf-8", "replace")

    async def new_output(self) -> str:
        """What came since the last call, or the screen where that cannot be told."""
        screen = await self.screen(is_whole=True)
        previous, self._previous = self._previous, screen
        added = None if previous is None else _added(previous.strip(), screen)
        if added is not None and added.strip():
            return f"New Terminal Output:\n{added}"
        return f"Current Terminal Screen:\n{await self.screen(is_whole=False)}"

    async def _run(self, argv: Sequence[str]) -> ExecResult:
        result = await self._exec(argv)
        if result.status is not Status.OK:
            raise TerminalLostError(_said(result), result.status)
        return result

    async def _exec(self, argv: Sequence[str], *, wall_s: float = _CALL_S) -> ExecResult:
        return await self._container.exec(
            argv, wall_s=wall_s, is_root=self._is_root, output_bytes=_SCREEN_BYTES
        )


def _added(previous: str, screen: str) -> str | None:
    """As the official agent finds it: from the last line that was there before."""
    if previous not in screen:
        return None
    return screen[previous.rfind("\n") if "\n" in previous else screen.index(previous) :]


def _parts(keys: str) -> list[str]:
    """Keys for several calls, without what no argument of a program can hold."""
    keys = keys.replace("\0", "").encode("utf-8", "replace").decode()
    return [keys[start : start + _MOST_KEY_BYTES // 4] for start in range(0, len(keys), _MOST_KEY_BYTES // 4)]


def _said(result: ExecResult) -> str:
    said = (result.stderr or result.stdout).decode("utf-8", "replace").strip()[-300:]
    return said or f"ended by {result.status.value.replace('_', ' ')}"


async def require_tmux(container: Container, *, can_install: bool) -> None:
    """Install tmux where the image has none, as the official harnesses do; raises SandboxError."""
    found = await container.exec(["tmux", "-V"], wall_s=_CALL_S)
    if found.status is Status.OK:
        return
    if can_install:
        install = "apt-get update && apt-get install -y --no-install-recommends tmux"
        result = await container.exec(["sh", "-c", install], wall_s=600)
        if result.status is Status.OK:
            return
    raise SandboxError("the task's image has no tmux, and it could not be installed")
