"""The arguments of a call as a model wrote them."""

import json
from collections.abc import Mapping
from typing import NoReturn

from assay.domain.calls.messages import Json

MOST_CHARACTERS = 20_000
_MOST_DEPTH = 20


def parsed_arguments(text: str) -> Mapping[str, Json]:
    """Raises ValueError, with a message for the model, for what no tool can be called with."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"the arguments have more than {MOST_CHARACTERS:,} characters")
    try:
        # Models send nothing at all to a tool without parameters.
        found: Json = json.loads(text or "{}", parse_constant=_no_constant)
        # Half a surrogate pair can be neither stored nor sent.
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the arguments are not valid JSON: {str(error)[:100]}") from error
    if not isinstance(found, dict):
        raise ValueError("the arguments must be a JSON object")  # noqa: TRY004 # one error for what models write
    if _depth_exceeds(found, _MOST_DEPTH):
        raise ValueError(f"the arguments are nested more than {_MOST_DEPTH} levels deep")
    return found


def _depth_exceeds(value: Json, most: int) -> bool:
    if isinstance(value, dict):
        members = list(value.values())
    elif isinstance(value, list):
        members = value
    else:
        return False
    return most == 0 or any(_depth_exceeds(one, most - 1) for one in members)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
