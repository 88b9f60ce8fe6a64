"""The OpenAPI description says what everything means."""

import json
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from assay.api.app import openapi_document

DOCUMENT: dict[str, Any] = json.loads(openapi_document())
Need = dict[str, list[str]]
BEARER: Need = {"HTTPBearer": []}
IDENTIFIED: list[Need] = [{one: []} for one in ("AccessKey", "HTTPBearer", "Session", "AdminSecret")]


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, found in DOCUMENT["paths"].items():
        for method, operation in found.items():
            yield f"{method.upper()} {path}", operation


def test_every_field_is_described() -> None:
    missing = [
        f"{name}.{field}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, about in schema.get("properties", {}).items()
        if not about.get("description")
    ]
    assert missing == [], "describe it in its schema, or in glossary.toml"


def test_every_entry_of_the_glossary_is_used() -> None:
    glossary = tomllib.loads(files("assay.api").joinpath("glossary.toml").read_text(encoding="utf-8"))
    described = {
        (f"{name}.{field}", field, about["description"])
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, about in schema.get("properties", {}).items()
    }
    for entry, meaning in glossary["fields"].items():
        assert any(entry in (one, field) and meaning == text for one, field, text in described), entry
    parameters = {one["name"] for _, operation in operations() for one in operation.get("parameters", ())}
    assert set(glossary["parameters"]) <= parameters


def test_every_operation_and_parameter_is_described() -> None:
    for name, operation in operations():
        assert operation.get("description"), name
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), (name, parameter["name"])
        for status, response in operation["responses"].items():
            assert response.get("description"), (name, status)


def test_every_security_scheme_is_present() -> None:
    schemes = DOCUMENT["components"]["securitySchemes"]
    found = {(one["type"], one.get("in"), one.get("name", one.get("scheme"))) for one in schemes.values()}
    assert found == {
        ("http", None, "bearer"),
        ("apiKey", "header", "X-API-Key"),
        ("apiKey", "header", "X-Admin-Secret"),
        ("apiKey", "cookie", "bench_session"),
    }
    assert all(one["description"] for one in schemes.values())


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("GET /api/health", None),
        ("GET /api/runs", [Need(), *IDENTIFIED]),
        ("GET /api/admin/audit", IDENTIFIED),
        ("POST /api/runs/api", [BEARER]),
    ],
)
def test_operations_say_how_callers_identify_themselves(name: str, needed: list[Need] | None) -> None:
    assert dict(operations())[name].get("security") == needed
