"""Patches as the official evaluation applies them."""

import re

_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_BINARY = re.compile(r"^(?:Binary files .* differ|GIT binary patch)$", re.MULTILINE)


def without_binary(patch: str) -> str:
    """Without the changes of binary files."""
    return "".join(part for part in _FILE.split(patch) if part.strip() and _BINARY.search(part) is None)
