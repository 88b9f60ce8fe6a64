"""Texts as a search reads them."""

import json
from collections.abc import Iterator, Mapping

from assay.domain.json_value import Json

# Names, types and data inside a message that nobody reads as its text.
_NOT_READ = frozenset({"role", "type", "id", "tool_call_id", "format", "url", "data"})


def lowered(text: str) -> str:
    """With ASCII letters in lower case: of the same length, and the same on every database."""
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def readable(text: str) -> str:
    """The texts of a stored conversation, without its JSON; any other text as it is."""
    if not text.startswith("[{"):
        return text
    try:
        messages: Json = json.loads(text)
        if isinstance(messages, list) and all(isinstance(one, dict) and "role" in one for one in messages):
            return "\n".join(_strings(messages))
    except (ValueError, RecursionError):
        return text
    return text


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, member in value.items():
            if name not in _NOT_READ:
                yield from _strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member)
