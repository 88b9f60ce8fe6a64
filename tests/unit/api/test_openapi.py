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
SESSION: Need = {"Session": []}
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


def kinds(field: dict[str, Any]) -> set[str]:
    """The JSON types that a field may have."""
    if "anyOf" in field:
        return set[str]().union(*map(kinds, field["anyOf"]))
    if "$ref" in field:
        return kinds(DOCUMENT["components"]["schemas"][field["$ref"].rpartition("/")[2]])
    return {field.get("type", "null")}


def test_what_is_said_of_a_field_fits_its_type() -> None:
    """One entry of the glossary may describe fields of several types."""
    for name, schema in DOCUMENT["components"]["schemas"].items():
        for field, about in schema.get("properties", {}).items():
            text, found, place = about["description"], kinds(about), f"{name}.{field}"
            assert "null" not in text.lower() or "null" in found, place
            assert not text.startswith("One entry for") or found & {"array", "object"}, place
            assert not text.startswith(("Number of", "How many")) or "array" not in found, place


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


@pytest.mark.parametrize(
    ("name", "required"),
    [("POST /admin/datasets/upload", ["file"]), ("POST /v1/files", ["file", "purpose"])],
)
def test_every_field_of_an_upload_is_described(name: str, required: list[str]) -> None:
    form = dict(operations())[name]["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form["required"] == required
    assert all(one.get("description") for one in form["properties"].values())
    assert {"name", "grader", "prompt_field", "answer_field"} < form["properties"].keys()


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
        ("GET /api/auth/me", [SESSION]),
    ],
)
def test_operations_say_how_callers_identify_themselves(name: str, needed: list[Need] | None) -> None:
    assert dict(operations())[name].get("security") == needed
