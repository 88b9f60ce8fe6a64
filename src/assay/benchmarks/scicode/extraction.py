"""The code in a reply, found as the official script finds it."""

import re

_FENCE = "```"
_PYTHON = "```python"
# The official `^\s*(import .*|from .*\s+import\s+.*)` in linear time: what begins with `from ` goes on in the
# next line where that is an import, else to the last import in its own. Long blanks before anything else are
# matched too, and kept, so that they are read once and not from each of their lines.
_IMPORT = re.compile(
    r"(?m)^\s*+(?:import .*+|from (?:.*+\s++import(?=\s)|.*\simport(?=\s))\s++.*+)|^(?P<kept>\s{20,}+)"
)
# A longer reply is not a function that was asked for.
MOST_CHARACTERS = 512 * 1024


def code_in(reply: str) -> str:
    """The first Python block, else the first block, else everything; without the lines that import.

    Empty for a reply longer than `MOST_CHARACTERS`.
    """
    if len(reply) > MOST_CHARACTERS:
        return ""
    opening = _PYTHON if _PYTHON in reply else _FENCE
    code = reply.split(opening, 1)[1].split(_FENCE, 1)[0] if opening in reply else reply
    return _without_imports(code)


def _without_imports(code: str) -> str:
    """Removes the blank lines before an import too; an import may continue on the next line."""
    return "".join(filter(None, _IMPORT.split(code)))
