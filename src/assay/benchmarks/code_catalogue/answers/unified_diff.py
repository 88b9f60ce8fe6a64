"""Reads unified diffs, git style and plain."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.benchmarks.code_catalogue.answers.answer import AnswerError
from assay.benchmarks.code_catalogue.answers.hunks import Hunk

_GIT = "diff --git "
_BINARY = ("GIT binary patch", "Binary files ")
_NO_NEWLINE = "\\ "
_HUNK = re.compile(r"@@ -(?P<start>\d{1,9})(?:,(?P<old>\d{1,9}))? \+\d{1,9}(?:,(?P<new>\d{1,9}))? @@")
_ATTRIBUTE = re.compile(
    r"(?P<name>old mode|new mode|new file mode|deleted file mode|(?:dis)?similarity index|index"
    r"|rename from|rename to|copy from|copy to) (?P<value>.*)"
)
_MODES = ("old mode", "new mode", "new file mode", "deleted file mode", "index")
# Symbolic links and submodules.
_REFUSED_MODE = re.compile(r"(?:^|\s)1[26]0000$")
_TIME = re.compile(r"\s\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_QUOTED_NAMES = re.compile(r'("(?:[^"\\]|\\.)*+") ("(?:[^"\\]|\\.)*+")')
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-3][0-7]{2})')
_ESCAPED = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class FilePaths:
    """None is `/dev/null`."""

    old: str | None
    new: str | None
    is_git: bool = False
    """Whether git wrote them: then what is left of them without `a/` and `b/` is exact."""
    is_rename: bool = False


@dataclass(frozen=True, slots=True)
class FileDiff:
    paths: FilePaths
    hunks: tuple[Hunk, ...]
    is_git: bool
    has_wrong_counts: bool

    def removes_nothing(self) -> bool:
        return all(hunk.removes_nothing() for hunk in self.hunks)


def starts_diff(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith(_GIT) or _has_names(lines, at)


def readings(lines: Sequence[str], *, is_fenced: bool) -> list[list[FileDiff]]:
    """The diffs of single files, in the one or two ways in which they can be read; raises AnswerError.

    First each hunk is as long as its header says, then as long as its lines have marks, since models count
    badly. Marks alone could take a removed line for the beginning of another file. Outside of code blocks,
    any text may follow a diff.
    """
    try:
        by_counts = [_Reader(lines, trusts_counts=True, is_fenced=is_fenced).diffs()]
    except AnswerError:
        by_counts = []
    try:
        by_marks = _Reader(lines, trusts_counts=False, is_fenced=is_fenced).diffs()
    except AnswerError:
        if not by_counts:
            raise
        return by_counts
    return by_counts if by_marks in by_counts else [*by_counts, by_marks]


class _Reader:
    def __init__(self, lines: Sequence[str], *, trusts_counts: bool, is_fenced: bool) -> None:
        self._lines = lines
        self._trusts_counts = trusts_counts
        self._is_fenced = is_fenced
        self._at = 0
        self._end_of_hunk = -1

    def diffs(self) -> list[FileDiff]:
        found: list[FileDiff] = []
        while self._at < len(self._lines):
            if starts_diff(self._lines, self._at):
                found += self._diff()
            elif self._lines[self._at].startswith("@@"):
                raise AnswerError("the diff has a hunk before the lines '--- path' and '+++ path'")
            else:
                self._at += 1
        if not found:
            raise AnswerError("the diff changes no file: it needs lines such as '--- path' and '+++ path'")
        return found

    def _diff(self) -> list[FileDiff]:
        """Nothing if only the mode of a file changes."""
        first = self._lines[self._at]
        is_git = first.startswith(_GIT)
        attributes = self._attributes() if is_git else {}
        if self._at < len(self._lines) and _has_names(self._lines, self._at):
            names = _name(self._lines[self._at]), _name(self._lines[self._at + 1])
            self._at += 2
        else:
            names = _git_names(first.removeprefix(_GIT).strip(), attributes)
        paths = _paths(names, attributes)
        _refuse_special_files(paths, attributes)
        hunks: list[Hunk] = []
        has_wrong_counts = False
        while self._goes_to_hunk():
            hunk, counts_are_right = self._hunk()
            hunks.append(hunk)
            has_wrong_counts |= not counts_are_right
        if not hunks and None not in {paths.old, paths.new} and not paths.is_rename:
            if "new mode" in attributes:
                return []
            raise AnswerError(f"the diff of {(paths.new or '')[:_SHOWN]} has no hunk that begins with '@@'")
        return [FileDiff(paths, tuple(hunks), is_git or paths.is_git, has_wrong_counts)]

    def _attributes(self) -> dict[str, str]:
        """The lines between `diff --git` and the names or the first hunk."""
        attributes: dict[str, str] = {}
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            match = _ATTRIBUTE.fullmatch(line)
            if match:
                attributes[match["name"]] = match["value"]
            elif line:
                break
            self._at += 1
        return attributes

    def _goes_to_hunk(self) -> bool:
        """Skip what belongs to no hunk; False at the next file or the end."""
        while self._at < len(self._lines) and not starts_diff(self._lines, self._at):
            line = self._lines[self._at]
            if line.startswith("@@"):
                return True
            if line.startswith(_BINARY):
                raise AnswerError("the diff changes a binary file, which is not supported")
            if self._seems_part_of_hunk(line):
                raise AnswerError(f"the diff has a line outside of its hunks: {line[:_SHOWN]!r}")
            self._at += 1
        return False

    def _seems_part_of_hunk(self, line: str) -> bool:
        # "-- " separates the signature of mailed patches.
        if line[:1] not in set(" -+") or line.strip() in {"", "--"}:
            return False
        return self._is_fenced or self._at == self._end_of_hunk

    def _hunk(self) -> tuple[Hunk, bool]:
        """The hunk, and whether it has as many lines as its header says."""
        header = _HUNK.match(self._lines[self._at])
        counts = (int(header["old"] or 1), int(header["new"] or 1)) if header else None
        self._at += 1
        end = self._end_by_counts(counts) if self._trusts_counts else self._end_by_marks()
        hunk = _hunk_of(self._lines[self._at : end], int(header["start"]) if header else None)
        self._at = self._end_of_hunk = end
        return hunk, counts == (len(hunk.old), len(hunk.new))

    def _end_by_counts(self, counts: tuple[int, int] | None) -> int:
        old, new = counts or (-1, -1)
        at = self._at
        while old > 0 or new > 0:
            mark = self._mark(at)
            old -= mark in {" ", "-"}
            new -= mark in {" ", "+"}
            if not mark:
                break
            at += 1
        if (old, new) != (0, 0):
            raise AnswerError(f"hunk header {self._lines[self._at - 1][:_SHOWN]!r} has wrong counts")
        return at + 1 if self._mark(at) == "\\" else at

    def _end_by_marks(self) -> int:
        at = self._at
        while self._mark(at) and not self._is_next_file(at):
            at += 1
        # Blank lines after the last hunk separate it from what follows.
        while at > self._at and not self._lines[at - 1].rstrip("\r"):
            at -= 1
        return at

    def _is_next_file(self, at: int) -> bool:
        """A removed and an added line may look like names, but a hunk does not follow them."""
        return _has_names(self._lines, at) and "".join(self._lines[at + 2 : at + 3]).startswith("@@")

    def _mark(self, at: int) -> str:
        """What the line is in a hunk; empty if it cannot be in one."""
        if at >= len(self._lines):
            return ""
        line = self._lines[at]
        if line[:1] in {" ", "-", "+"}:
            return line[0]
        if line.startswith(_NO_NEWLINE):
            return "\\"
        # Blank lines of context lose their space easily.
        return "" if line.rstrip("\r") else " "


def _has_names(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _hunk_of(lines: Sequence[str], start: int | None) -> Hunk:
    body: list[str] = []
    for line in lines:
        if line.startswith(_NO_NEWLINE):
            body[-1:] = [last.removesuffix("\n") for last in body[-1:]]
        else:
            body.append(f"{line}\n" if line.rstrip("\r") else f" {line}\n")
    return Hunk(body, start)


def _paths(names: tuple[str | None, str | None], attributes: Mapping[str, str]) -> FilePaths:
    if "rename from" in attributes and "rename to" in attributes:
        old, new = (_unquoted(attributes[name]) for name in ("rename from", "rename to"))
        return FilePaths(old, new, is_git=True, is_rename=True)
    old = None if "new file mode" in attributes else names[0]
    new = None if "deleted file mode" in attributes else names[1]
    if old is None and new is None:
        raise AnswerError("the diff names no file")
    if (old or "a/").startswith("a/") and (new or "b/").startswith("b/"):
        return FilePaths(old and old[2:], new and new[2:], is_git=True)
    return FilePaths(old, new)


def _refuse_special_files(paths: FilePaths, attributes: Mapping[str, str]) -> None:
    path = (paths.new or paths.old or "")[:_SHOWN]
    if any(_REFUSED_MODE.search(value) for name, value in attributes.items() if name in _MODES):
        raise AnswerError(f"the diff of {path} is of a symbolic link or a submodule")
    if "copy to" in attributes:
        raise AnswerError(f"the diff copies {path}, which is not supported: give the new file in full")


def _name(line: str) -> str | None:
    """The path in a line that begins with `--- ` or `+++ `."""
    name = _TIME.split(line[4:].split("\t", 1)[0], maxsplit=1)[0].strip()
    return None if name == "/dev/null" else _unquoted(name)


def _git_names(names: str, attributes: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Both paths of a `diff --git` line, which separates them by a space that the paths may have too."""
    quoted = _QUOTED_NAMES.fullmatch(names)
    middle = len(names) // 2
    old, new = map(_unquoted, quoted.groups() if quoted else (names[:middle], names[middle + 1 :]))
    if old.removeprefix("a/") != new.removeprefix("b/") and "rename to" not in attributes:
        raise AnswerError(f"the line {_GIT + names[:_SHOWN]!r} does not name one file twice")
    return old, new


def _unquoted(name: str) -> str:
    """Names with letters outside of ASCII as git writes them, in quotation marks and with octal bytes."""
    if len(name) < 2 or not (name.startswith('"') and name.endswith('"')):  # noqa: PLR2004 - two marks
        return name
    return _ESCAPE.sub(_unescaped, name[1:-1].encode()).decode("utf-8", "replace")


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 8) if escape[1].isdigit() else _ESCAPED[escape[1][0]]])
