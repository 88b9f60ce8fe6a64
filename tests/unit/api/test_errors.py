from collections.abc import Iterator
from http import HTTPStatus

import pytest

from assay.api.errors import STATUS, status_of
from assay.domain.errors import (
    AssayError,
    BadRowError,
    IllegalTransitionError,
    StoreError,
    UnauthorizedError,
    UnknownNameError,
)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UnknownNameError("run", "x"), HTTPStatus.NOT_FOUND),
        (IllegalTransitionError("no"), HTTPStatus.CONFLICT),
        (BadRowError("file", 3, "no"), HTTPStatus.BAD_REQUEST),
        (UnauthorizedError("no"), HTTPStatus.BAD_GATEWAY),
        (StoreError("no"), HTTPStatus.SERVICE_UNAVAILABLE),
        (AssayError("no"), HTTPStatus.INTERNAL_SERVER_ERROR),
    ],
)
def test_the_nearest_ancestor_in_the_table_decides(error: AssayError, status: HTTPStatus) -> None:
    assert status_of(error) is status


def test_errors_the_caller_can_mend_are_never_the_servers_fault() -> None:
    from_usage = [
        one for one in _family(AssayError) if one.__module__ == "assay.domain.errors" and _is_usage(one)
    ]
    assert len(from_usage) > 5
    for one in from_usage:
        status = next(STATUS[ancestor] for ancestor in one.__mro__ if ancestor in STATUS)
        assert status < HTTPStatus.INTERNAL_SERVER_ERROR or status is HTTPStatus.NOT_IMPLEMENTED


def _family(error: type[AssayError]) -> Iterator[type[AssayError]]:
    yield error
    for child in error.__subclasses__():
        yield from _family(child)


def _is_usage(error: type[AssayError]) -> bool:
    return any(ancestor.__name__ == "UsageError" for ancestor in error.__mro__)
