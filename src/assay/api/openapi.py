"""Completes the OpenAPI description: what fields and parameters mean, and how callers identify themselves."""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from assay.api.access.actor import SESSION_COOKIE

_ADMIN_PREFIX: Final = "/api/admin/"
_SCHEMES: Final[Mapping[str, Mapping[str, str]]] = {
    "HTTPBearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "The caller's own key for the models' endpoint; or an access key of this server",
    },
    "AccessKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "An access key of this server, made with `assay users add`",
    },
    "Session": {
        "type": "apiKey",
        "in": "cookie",
        "name": SESSION_COOKIE,
        "description": "The session of a login with the identity provider",
    },
    "AdminSecret": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Admin-Secret",
        "description": "The secret of the operator, ADMIN_SECRET",
    },
}
_Need = Mapping[str, list[str]]
_IDENTIFIED: Final[tuple[_Need, ...]] = (
    {"AccessKey": []},
    {"HTTPBearer": []},
    {"Session": []},
    {"AdminSecret": []},
)
# On loopback a caller may be nobody.
_ANYBODY: Final[_Need] = {}


def describe(document: dict[str, Any], *, public: Collection[str]) -> None:
    """Paths of `public` need no identity."""
    glossary = _glossary()
    for name, schema in document["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            meaning = glossary["fields"].get(f"{name}.{field}") or glossary["fields"].get(field)
            if meaning is not None:
                described.setdefault("description", meaning)
    document["components"]["securitySchemes"] = dict(_SCHEMES)
    for path, operation in _operations(document):
        for parameter in operation.get("parameters", ()):
            meaning = glossary["parameters"].get(parameter["name"])
            if meaning is not None:
                parameter.setdefault("description", meaning)
        if path not in public and "security" not in operation:
            operation["security"] = list(
                _IDENTIFIED if path.startswith(_ADMIN_PREFIX) else (_ANYBODY, *_IDENTIFIED)
            )


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            yield path, operation


@cache
def _glossary() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("assay.api").joinpath("glossary.toml").read_text(encoding="utf-8"))
