"""Sections of the changelog: "Unreleased" becomes a version, and a version the notes of its release."""

import re

from scripts.release.fault import ReleaseError

OPEN = "Unreleased"
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_HEADING = re.compile(r"^## (?P<name>\S+).*\n", re.MULTILINE)


def cut(changelog: str, version: str, day: str) -> str:
    """Put what is under "Unreleased" under the version."""
    if not _VERSION.fullmatch(version):
        raise ReleaseError(f"{version!r} is no version such as 1.2.0 or 1.2.0rc1")
    if version in _sections(changelog):
        raise ReleaseError(f"CHANGELOG.md has a section {version!r} already")
    notes(changelog, OPEN)
    return re.sub(
        rf"^## {OPEN}$", f"## {OPEN}\n\n## {version} - {day}", changelog, count=1, flags=re.MULTILINE
    )


def notes(changelog: str, version: str) -> str:
    text = _sections(changelog).get(version)
    if text is None:
        raise ReleaseError(f"CHANGELOG.md has no section {version!r}; write it with: scripts.release notes")
    if not text:
        raise ReleaseError(f"the section {version!r} of CHANGELOG.md is empty; say what changed for users")
    return text + "\n"


def _sections(changelog: str) -> dict[str, str]:
    found = list(_HEADING.finditer(changelog))
    ends = [*(one.start() for one in found[1:]), len(changelog)]
    return {one["name"]: changelog[one.end() : end].strip() for one, end in zip(found, ends, strict=True)}
