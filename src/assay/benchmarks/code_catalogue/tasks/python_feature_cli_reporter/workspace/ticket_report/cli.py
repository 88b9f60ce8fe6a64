"""The command `python -m ticket_report`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO


def main(
    arguments: Sequence[str] | None = None,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
) -> int:
    """Print a report on the tickets of a file; returns the exit status."""
    raise NotImplementedError
