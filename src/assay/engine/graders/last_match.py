"""The last match of a pattern, found from the end of a text."""

import re
from collections import deque

# The end of the text is looked at first, then more of it, then all: most answers stand at the end.
_WINDOWS = (4_000, 64_000)


def last_match(
    pattern: re.Pattern[str], text: str, *, start: int = 0, end: int | None = None
) -> re.Match[str] | None:
    """For patterns of which no match can begin inside another: there it is the last of `finditer`."""
    end = len(text) if end is None else end
    for window in _WINDOWS:
        if end - start > window:
            found = _last(pattern, text, end - window, end)
            if found:
                return found
    return _last(pattern, text, start, end)


def _last(pattern: re.Pattern[str], text: str, start: int, end: int) -> re.Match[str] | None:
    # Look-behinds see what stands before the start.
    last = deque(pattern.finditer(text, start, end), maxlen=1)
    return last[0] if last else None
