"""The forms of ids in the code harness; anything else is refused before it is looked up."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import Depends

from assay.api.errors import ProblemError
from assay.domain.errors import InvalidValueError, UnknownNameError

_MODEL: Final = re.compile(r"[a-zA-Z0-9_\-/\.:]{1,500}")
_ITEM: Final = re.compile(r"[a-zA-Z0-9_]{1,500}")
_RUN: Final = re.compile(r"[a-zA-Z0-9_\-]{1,100}")


def _required(pattern: re.Pattern[str], given: str) -> str:
    if pattern.fullmatch(given) is None:
        # Without the id: whoever probes for paths learns nothing, and no log repeats it.
        detail = "an id in the request holds characters that no id has"
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, code="bad-id")
    return given


def required_model(given: str) -> str:
    return _required(_MODEL, given)


def required_item(given: str) -> str:
    return _required(_ITEM, given)


async def _required_run(run_id: str) -> str:
    return _required(_RUN, run_id)


RunIdPath = Annotated[str, Depends(_required_run)]


def is_run_id(given: str) -> bool:
    return _RUN.fullmatch(given) is not None


@contextmanager
def refused_as_bad_request() -> Generator[None]:
    """What is well formed and makes no sense is a 400 in this contract, whatever it names."""
    try:
        yield
    except (InvalidValueError, UnknownNameError) as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, error.message, code=error.code) from error
