"""What is logged, as the service writes it for machines."""

import json
import logging
from collections.abc import Generator
from contextlib import contextmanager

from assay.cli.service.logs import JsonFormatter
from assay.domain.access.secret import redacted


class _Lines(logging.Handler):
    """Formats a record where it is logged, as the handlers of the service do."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonFormatter(redacted))
        self.lines: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(self.format(record)))


@contextmanager
def logged() -> Generator[list[dict[str, str]]]:
    """The lines of our own loggers."""
    handler, logger = _Lines(), logging.getLogger("assay")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield handler.lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
