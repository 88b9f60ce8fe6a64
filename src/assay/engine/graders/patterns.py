"""Regular expressions of strangers, searched in time linear in the text."""

# re2 ships no types; this module is the only one that touches it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import functools
from dataclasses import dataclass
from typing import Any

import re2

from assay.domain.errors import InvalidValueError

# A compiled pattern may take megabytes.
_KEPT = 64
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


@dataclass(frozen=True, slots=True)
class Pattern:
    _compiled: Any

    def found_in(self, text: str) -> str | None:
        """The first match."""
        match = self._compiled.search(text)
        return None if match is None else str(match.group(0))


@functools.lru_cache(maxsize=_KEPT)
def pattern(text: str) -> Pattern:
    """Raises InvalidValueError."""
    try:
        return Pattern(re2.compile(text, _OPTIONS))
    except re2.error as error:
        [reason, *_] = error.args or ("it cannot be read",)
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidValueError(
            f"{text!r} is not a pattern: {said} (look-around and back-references are not known)"
        ) from error
