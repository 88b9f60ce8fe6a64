"""The code in a reply, found as the official script finds it."""

import re

_FENCE = "```"
_PYTHON = "```python"
_BLANKS = re.compile(r"\s*")
_IMPORT_WORD = re.compile(r"(?<=\s)import(?=\s)")
_FROM = "from "
# A reply that long holds no function that anybody asked for.
MOST_CHARACTERS = 512 * 1024


def code_in(reply: str) -> str:
    """The first Python block, else the first block, else everything; without the lines that import.

    Nothing of a reply of more than `MOST_CHARACTERS`.
    """
    if len(reply) > MOST_CHARACTERS:
        return ""
    opening = _PYTHON if _PYTHON in reply else _FENCE
    code = reply.split(opening, 1)[1].split(_FENCE, 1)[0] if opening in reply else reply
    return _without_imports(code)


def _without_imports(code: str) -> str:
    r"""What the official pattern `^\s*(import .*|from .*\s+import\s+.*)` leaves, in linear time.

    An import takes the blank lines before it along, and may go on in the next line.
    """
    kept: list[str] = []
    position = 0
    while position < len(code):
        start = _after_blanks(code, position)
        end = _import_end(code, start)
        if end is None:
            end = start
        else:
            position = end
        following = _line_end(code, end) + 1
        kept.append(code[position:following])
        position = following
    return "".join(kept)


def _import_end(code: str, start: int) -> int | None:
    """Where the import that starts here ends; None where none does."""
    if code.startswith("import ", start):
        return _line_end(code, start)
    if not code.startswith(_FROM, start):
        return None
    line_end = _line_end(code, start)
    word = _after_blanks(code, line_end)
    if word == line_end or not _IMPORT_WORD.match(code, word):
        # The blank before the word is at the earliest the one after `from `.
        found = [match.start() for match in _IMPORT_WORD.finditer(code, start + len(_FROM) + 1, line_end + 1)]
        if not found:
            return None
        word = found[-1]
    return _line_end(code, _after_blanks(code, word + len("import")))


def _after_blanks(code: str, start: int) -> int:
    found = _BLANKS.match(code, start)
    return found.end() if found else start


def _line_end(code: str, start: int) -> int:
    found = code.find("\n", start)
    return len(code) if found < 0 else found
