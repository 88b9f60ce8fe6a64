"""Grading an answer that is JSON: by a schema, or by equality with the expected value."""

import functools
import gc
import json
from collections.abc import Mapping
from typing import NoReturn

import jsonschema_rs
import orjson

from assay.domain.benchmark import Grade
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.engine.graders.rules.json_equal import first_difference

# Schemas come from strangers: patterns in them are matched in linear time, and nothing is fetched. A compiled
# one may take megabytes.
_KEPT = 64
_LONGEST_EXPLANATION = 1_000
_FENCE = "```"
_LONG = 20_000


def grade_json(expected: Json, answer: str, options: Mapping[str, Json]) -> Grade:
    text = _json_text(answer)
    try:
        said = _json_value(text)
    except orjson.JSONDecodeError as error:
        return _no_json(error)
    tolerance = options.get("tolerance")
    difference = first_difference(
        said,
        expected,
        tolerance=float(tolerance) if isinstance(tolerance, int | float) else 0.0,
        is_subset=bool(options.get("subset")),
    )
    if difference is None:
        return Grade(Outcome.CORRECT, 1.0, extracted=text, explanation="equals the expected JSON")
    return Grade(Outcome.INCORRECT, 0.0, extracted=text, explanation=difference[:_LONGEST_EXPLANATION])


def _no_json(error: orjson.JSONDecodeError) -> Grade:
    return Grade(Outcome.UNPARSED, 0.0, explanation=f"the answer is not JSON: {error}")


def grade_schema(expected: Json, answer: str) -> Grade:
    text = _json_text(answer)
    try:
        said = _json_value(text)
    except orjson.JSONDecodeError as error:
        return _no_json(error)
    validator = _validator(json.dumps(expected, sort_keys=True))
    if len(text) > _LONG and not validator.is_valid(said):
        # An error would hold, and quote, what it is about.
        return Grade(Outcome.INCORRECT, 0.0, extracted=text, explanation="does not fit the expected schema")
    try:
        validator.validate(said)
    except jsonschema_rs.ValidationError as error:
        where = "/".join(map(str, error.instance_path)) or "the document"
        reason = f"{where}: {error.message}"[:_LONGEST_EXPLANATION]
        return Grade(Outcome.INCORRECT, 0.0, extracted=text, explanation=reason)
    return Grade(Outcome.CORRECT, 1.0, extracted=text, explanation="fits the expected schema")


def _json_value(text: str) -> Json:
    """Garbage is not collected while it is read, which would take longer than the reading: there is none."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        value: Json = orjson.loads(text)
    finally:
        if is_collecting:
            gc.enable()
    return value


def _json_text(answer: str) -> str:
    """What stands between the first two fences, else all of it."""
    parts = answer.split(_FENCE, 2)
    if len(parts) <= 2:  # noqa: PLR2004
        return answer.strip()
    _language, _, content = parts[1].partition("\n")
    return content.strip()


def schema_fault(expected: Json) -> str | None:
    if not isinstance(expected, Mapping | bool):
        return "must be a JSON schema, which is an object"
    try:
        _validator(json.dumps(expected, sort_keys=True))
    except ValueError as error:
        return f"is not a JSON schema: {str(error).splitlines()[0]}"
    return None


@functools.lru_cache(maxsize=_KEPT)
def _validator(schema: str) -> jsonschema_rs.Validator:
    options = jsonschema_rs.RegexOptions()
    return jsonschema_rs.validator_for(json.loads(schema), pattern_options=options, retriever=_no_retrieval)


def _no_retrieval(uri: str) -> NoReturn:
    raise ValueError(f"it refers to {uri!r}, and nothing is fetched: put that into the schema itself")
