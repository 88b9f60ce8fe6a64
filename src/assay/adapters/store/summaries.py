"""Summaries and calls as JSON text, and back."""

import json
from dataclasses import replace
from functools import lru_cache

from pydantic import TypeAdapter

from assay.domain.attempt import Call
from assay.domain.calls.messages import Json
from assay.domain.summary import Summary, Tokens

_SUMMARY = TypeAdapter(Summary)
_CALLS = TypeAdapter(tuple[Call, ...])
# The largest whole number that JavaScript has.
_MAX_TOTAL = 2**53 - 1


def summary_text(summary: Summary) -> str:
    return _SUMMARY.dump_json(summary).decode()


@lru_cache(maxsize=1024)
def summary_from(text: str) -> Summary:
    summary = _SUMMARY.validate_python(_figures(text))
    tokens = summary.tokens
    if max(tokens.input, tokens.output, tokens.reasoning) > _MAX_TOTAL:
        return replace(summary, tokens=Tokens(unknown=max(1, tokens.unknown)))
    return summary


def calls_text(calls: tuple[Call, ...]) -> str:
    return _CALLS.dump_json(calls).decode()


def calls_from(text: str) -> tuple[Call, ...]:
    return _CALLS.validate_python(_figures(text))


def _figures(text: str) -> Json:
    """Older versions stored whatever endpoints had reported: an amount that cannot be one is unknown."""
    return json.loads(text, object_hook=_with_known_amounts)


def _with_known_amounts(values: dict[str, Json]) -> dict[str, Json]:
    return {
        name: None
        if name.endswith("_usd") and isinstance(value, str) and not float(value) <= _MAX_TOTAL
        else value
        for name, value in values.items()
    }
