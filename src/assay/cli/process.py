"""Runs a command line in this process: its log, its errors and its exit code."""

import logging
import sys
from collections.abc import Callable
from typing import NoReturn

import typer

from assay.cli.exit_codes import (
    EXIT_ENDPOINT,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_STORE,
    EXIT_USAGE,
)
from assay.domain.access.secret import printable, redacted
from assay.domain.errors import AssayError, EndpointError, StoreError, UsageError


class _PlainFormatter(logging.Formatter):
    """For commands that set up no log of their own: what is logged may quote a reply."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(redacted(super().format(record)))


def _set_up_plain_log() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_PlainFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # Whoever waits for an image of gigabytes wants to know that something goes on.
    logging.getLogger("assay.adapters.sandbox.docker.image_progress").setLevel(logging.INFO)


def run_command(app: typer.Typer, *, print_version: Callable[[], None]) -> NoReturn:
    """Run the command; an error Assay raises on purpose is one line on standard error and an exit code."""
    _set_up_plain_log()
    try:
        if sys.argv[1:] == ["--version"]:
            # Typer reads options with pydantic, and importing that takes longer than everything else here.
            print_version()
        else:
            app(standalone_mode=True)
    except AssayError as error:
        _print_error(error)
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has seen enough.
        sys.stderr.close()
        sys.exit(EXIT_FAILED)
    sys.exit(0)


def _print_error(error: AssayError) -> None:
    from assay.cli.output.write import write_note

    first, *others = error.message.splitlines() or [""]
    write_note(f"error: {first}", err=True)
    for line in others:
        write_note(line.strip(), indent="  ", err=True)


def exit_code(error: AssayError) -> int:
    if isinstance(error, UsageError):
        return EXIT_USAGE
    if isinstance(error, EndpointError):
        return EXIT_ENDPOINT
    if isinstance(error, StoreError):
        return EXIT_STORE
    return EXIT_FAILED
