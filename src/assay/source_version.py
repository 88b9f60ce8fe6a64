"""The version of a source tree by its tags: at `v1.2.0` it is 1.2.0, five commits later 1.2.1.dev5.

The build loads this file alone, so it imports nothing of Assay.
"""

import os
import re
import subprocess
from pathlib import Path

# For builds from a folder without history, such as the context of a container image.
VARIABLE = "ASSAY_BUILD_VERSION"
UNKNOWN = "0+unknown"
_TREE = Path(__file__).resolve().parents[2]
# `git archive` replaces these; git before 2.35 knows only the second.
_ARCHIVED_TAG = "$Format:%(describe:tags=true,match=v[0-9]*,abbrev=7)$"
_ARCHIVED_COMMIT = "$Format:%h$"
_DESCRIBED = re.compile(
    r"(?:v(?P<tag>(?P<start>(?:\d+\.)*(?:\d+(?:a|b|rc))?)(?P<last>\d+))(?:-(?P<commits>\d+)-g|$))?"
    r"(?P<commit>[0-9a-f]{4,})?(?P<dirty>-dirty)?"
)


def build_version() -> str:
    given = os.environ.get(VARIABLE)
    return given or checkout_version() or archived_version(_ARCHIVED_TAG, _ARCHIVED_COMMIT) or UNKNOWN


def checkout_version() -> str | None:
    """None where this is no checkout, or git is missing."""
    described = describe("--tags", "--long", "--abbrev=7", "--match=v[0-9]*")
    return version_of(described) if described else None


def describe(*options: str, tree: Path = _TREE) -> str | None:
    # A folder within the checkout of another project is none of its commits.
    if not (tree / ".git").exists():
        return None
    command = ["git", "-C", str(tree), "describe", "--always", "--dirty", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=5)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def archived_version(tag: str, commit: str) -> str | None:
    if commit.startswith("$"):
        return None
    return version_of(commit if tag.startswith("$") or not tag else tag)


def version_of(described: str) -> str | None:
    """The version for what `git describe` says: a tag, a tag with what followed it, or a commit alone."""
    found = _DESCRIBED.fullmatch(described)
    if found is None:
        return None
    commits, dirty = int(found["commits"] or 0), ".dirty" if found["dirty"] else ""
    if found["tag"] is None:
        return f"0+g{found['commit']}{dirty}"
    if not commits and not dirty:
        return found["tag"]
    # Newer than the tag, older than any release after it.
    return f"{found['start']}{int(found['last']) + 1}.dev{commits}+g{found['commit']}{dirty}"
