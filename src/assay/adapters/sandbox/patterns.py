"""Glob patterns for files of a workspace, the same for every backend."""

import fnmatch
from collections.abc import Sequence


def fits(name: str, patterns: Sequence[str]) -> bool:
    """Globs as in pathlib: `**` matches any folders, and `*` does not match a slash."""
    parts = name.split("/")
    return any(_parts_fit(parts, one.split("/")) for one in patterns)


def _parts_fit(names: Sequence[str], patterns: Sequence[str]) -> bool:
    if not patterns:
        return not names
    if patterns[0] == "**":
        return any(_parts_fit(names[skipped:], patterns[1:]) for skipped in range(len(names) + 1))
    return bool(names) and fnmatch.fnmatchcase(names[0], patterns[0]) and _parts_fit(names[1:], patterns[1:])
