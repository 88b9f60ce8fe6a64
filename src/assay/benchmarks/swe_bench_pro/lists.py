"""Lists of names that the rows hold as text: Python literals or JSON, never evaluated as code."""

import ast
import json
from collections.abc import Sequence

from assay.domain.calls.messages import Json
from assay.domain.errors import DataError

_MOST_CHARACTERS = 20_000_000


def names_in(value: Json, *, where: str) -> tuple[str, ...]:
    """Raises DataError if it is not a list of texts: an empty list in its place would pass every patch."""
    found = _literal(value, where) if isinstance(value, str) else value
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        raise DataError(f"{where} is not a list")
    names = tuple(one for one in found if isinstance(one, str))
    if len(names) != len(found):
        raise DataError(f"{where} has a member that is not a text")
    return names


def _literal(text: str, where: str) -> Json:
    if len(text) > _MOST_CHARACTERS:
        raise DataError(f"{where} has more than {_MOST_CHARACTERS:,} characters")
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise DataError(f"{where} is neither a Python literal nor JSON: {error}") from error
    return found
