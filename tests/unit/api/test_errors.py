from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus

import pytest

from assay.api.app import create_app
from assay.api.errors import STATUS, status_of
from assay.domain.errors import (
    AssayError,
    BadRowError,
    IllegalTransitionError,
    StoreAwayError,
    StoreError,
    UnauthorizedError,
    UnknownNameError,
)
from tests.integration.serving import client_for, services
from tests.stores import memory_stores


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


@pytest.mark.parametrize("path", ["/api/runs", "/v1/files"])
def test_only_admins_are_told_which_database_failed(
    path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wired = replace(services(memory_stores()), admin_secret="s3cret")  # noqa: S106 - a test value
    failure = StoreAwayError("PostgreSQL database 'assay' at 'db.internal' as 'root' refused the connection")

    async def away(*_: object) -> None:
        raise failure

    monkeypatch.setattr(type(wired.stores.runs), "page_with_outcomes", away)
    monkeypatch.setattr(type(wired.stores.datasets), "list", away)
    client = client_for(create_app(wired))
    told = client.get(path)
    assert told.status_code == 503
    assert "the database cannot be reached; the log of the server has the details" in told.text
    assert "db.internal" not in told.text
    assert "db.internal" in caplog.text
    assert "db.internal" in client.get(path, headers={"X-Admin-Secret": "s3cret"}).text


@pytest.mark.parametrize(
    ("sent", "content_type", "place"),
    [
        (b"{bad", "application/json", "at line 1, column 2"),
        (b'{\n"a": 1,\n}', "application/json", "at line 3, column 1"),
        (b'{"a": "\xff"}', "application/json", "not UTF-8: invalid start byte at byte 7"),
        (b"[" * 100_000, "application/json", "nested too deeply"),
        (b"{}", None, "'Content-Type: application/json', which is missing"),
        (b"{}", "text/plain", "'Content-Type: application/json', not 'text/plain'"),
    ],
)
@pytest.mark.parametrize("path", ["/api/runs", "/v1/batches"])
def test_a_body_that_is_not_json_is_told_where(
    path: str, sent: bytes, content_type: str | None, place: str
) -> None:
    client = client_for(create_app(services(memory_stores())))
    headers = {} if content_type is None else {"Content-Type": content_type}
    response = client.post(path, content=sent, headers=headers)
    assert response.status_code == 400
    assert place in response.text
    assert '"code":"bad-request"' in response.text


def test_an_error_of_the_whole_body_names_the_body() -> None:
    response = client_for(create_app(services(memory_stores()))).post("/v1/batches", json=[])
    error = response.json()["error"]
    assert (error["param"], error["message"].partition(":")[0]) == ("body", "body")


def test_errors_of_the_api_name_its_fields_and_operations() -> None:
    client = client_for(create_app(services(memory_stores())))
    body = {"model_id": "sim/good", "selected_benchmarks": ["letters"]}
    for change in ({}, {"model_id": "openai-api/lab/x"}, {"config": {"judge": "sim/nobody"}}):
        response = client.post("/api/runs", json=body | change)
        assert response.status_code >= 400
        assert " --" not in response.json()["detail"]
    generic = client.post("/api/runs", json=body | {"model_id": "openai-api/lab/x"})
    assert "or give `config.base_url`" in generic.json()["detail"]
    unknown = client.post("/api/runs", json=body | {"selected_benchmarks": ["nobody"]})
    assert "`GET /api/benchmarks` lists all" in unknown.json()["detail"]


def test_health_can_be_asked_for_without_a_body() -> None:
    response = client_for(create_app(services(memory_stores()))).head("/api/health")
    assert (response.status_code, response.content) == (200, b"")


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
