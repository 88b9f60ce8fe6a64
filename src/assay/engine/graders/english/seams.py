"""Where English text can be cut so that its words and sentences are those of the pieces.

A seam is one blank between two letters or digits: no sentence ends there, and no rule of the word tokenizer
reaches across. A sentence that a seam cuts in two is the last of one piece and the first of the next.
"""

import re
from collections.abc import Iterator

_SEAM = re.compile(r"(?<=[^\W_])[ \n](?=[^\W_])")
_OPENING = re.compile(r"(?<=[ \n])[^\W_]")
# Ordinary text has a seam in every line; where there is none for long, looking on costs more than it saves.
_NEAR_CHARACTERS = 5_000
_CHUNK_CHARACTERS = 4_000


def first_seam(text: str) -> int:
    """Where the first seam starts, or -1 if there is none near the beginning."""
    seam = _SEAM.search(text, 0, _NEAR_CHARACTERS)
    return seam.start() if seam else -1


def last_seam(text: str) -> int:
    """Where the last seam starts, or -1 if there is none near the end."""
    last = -1
    for seam in _SEAM.finditer(text, max(0, len(text) - _NEAR_CHARACTERS)):
        last = seam.start()
    return last


def opening(text: str, start: int) -> int:
    """Where a word starts from which on the words do not depend on what comes before, or -1."""
    found = _OPENING.search(text, start)
    return found.start() if found else -1


def chunks(text: str) -> Iterator[str]:
    """The text cut at seams, for those who need not read it all."""
    start = 0
    while start + _CHUNK_CHARACTERS < len(text):
        near = start + _CHUNK_CHARACTERS
        seam = _SEAM.search(text, near, near + _NEAR_CHARACTERS)
        if seam is None:
            break
        yield text[start : seam.start()]
        start = seam.start()
    yield text[start:]
