"""Runs the real `assay` command in a process of its own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TIMEOUT_S = 120


@dataclass(frozen=True)
class Assay:
    """`assay` with a data folder of its own and none of the developer's keys."""

    home: Path
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def database_url(self) -> str | None:
        return dict(self.variables).get("DATABASE_URL")

    @property
    def log(self) -> Path:
        return self.home.parent / "log.txt"

    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return kept | {"ASSAY_HOME": str(self.home)} | dict(self.variables)

    def command(self, arguments: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "assay", *arguments]

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(arguments),
            env=self.environment(),
            cwd=self.home.parent,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    def json(self, *arguments: str) -> Any:  # tests look into it
        done = self(*arguments, "--json")
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Its log goes to a file: nobody reads a pipe while the process lives."""
        with self.log.open("a") as log:
            return subprocess.Popen(
                self.command(arguments),
                env=self.environment(),
                cwd=self.home.parent,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def failure(self, *arguments: str) -> tuple[int, str]:
        """Exit code and the one line on standard error of a command that must fail."""
        done = self(*arguments)
        assert done.returncode != 0, done.stdout
        assert "Traceback" not in done.stderr, done.stderr
        lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, done.stderr
        return done.returncode, lines[0]


_BLOCKED = re.compile(r"the event loop was blocked for ([\d.]+) s")
_BLOCKED_LIMIT_S = 3.0


def require_event_loop_not_blocked(log: Path) -> None:
    """Nothing that wrote to this log reported an event loop that was blocked for seconds.

    Less is left out: on a busy machine a process that only waits for a processor reports as much.
    """
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    assert [
        blocked_s for blocked_s in map(float, _BLOCKED.findall(text)) if blocked_s >= _BLOCKED_LIMIT_S
    ] == []


@contextmanager
def sim_server(assay: Assay, *options: str) -> Generator[str]:
    """`assay sim-server` on a free port; gives its base URL."""
    process = assay.start("sim-server", "--port", "0", *options)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, process.stderr.read() if process.stderr else ""
        yield found[0]
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_S)
