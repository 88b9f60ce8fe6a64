"""The last match of a pattern, found from the end of a text."""

import re
from collections import deque

# The end of the text is looked at first, then more of it, then all: most answers stand at the end.
_WINDOWS = (4_000, 64_000)


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """For patterns of which no match can begin inside another: there it is the last of `finditer`."""
    for window in _WINDOWS:
        if len(text) > window:
            found = _last(pattern, text, len(text) - window)
            if found:
                return found
    return _last(pattern, text, 0)


def _last(pattern: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    # Look-behinds see what stands before the start.
    last = deque(pattern.finditer(text, start), maxlen=1)
    return last[0] if last else None
