"""The line of every key of a TOML document, which the parser of the standard library does not tell."""

import re
import tomllib
from bisect import bisect_right
from collections import Counter

Path = tuple[str | int, ...]
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# A quoted text on one line; in '…' nothing is escaped.
_BASIC = re.compile(r'"(?:[^"\\]|\\.)*"')
_LITERAL = re.compile(r"'[^']*'")
# Up to two quotes may stand before those that end a text of several lines.
_LONG_BASIC = re.compile(r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""(?:"{1,2}(?!"))?')
_LONG_LITERAL = re.compile(r"'''(?:[^']|'(?!''))*'''(?:'{1,2}(?!'))?")
_PLAIN = re.compile(r"[^,\]}#\n]+")


def toml_lines(text: str) -> dict[Path, int]:
    """The line of each value; the text must be valid TOML."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0
        self._starts = [0, *(found.end() for found in re.finditer("\n", self._text))]
        self._lines: dict[Path, int] = {}
        # How many tables each array of tables has so far.
        self._counts = Counter[Path]()

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        while self._skip_blank() < len(self._text):
            start = self._at
            if self._takes("[["):
                path = self._within_arrays(self._keys())
                table = (*path, self._counts[path])
                self._counts[path] += 1
                self._lines.setdefault(path, self._line(start))
                self._at += 2
            elif self._takes("["):
                table = self._within_arrays(self._keys())
                self._at += 1
            else:
                self._pair(table)
                continue
            self._note(table, start)
        return self._lines

    def _pair(self, table: Path) -> None:
        start = self._at
        path = (*table, *self._keys())
        for end in range(len(table) + 1, len(path)):
            self._lines.setdefault(path[:end], self._line(start))
        self._note(path, start)
        self._at += 1  # the sign
        self._value(path)

    def _within_arrays(self, keys: Path) -> Path:
        """A header names the last table of each array that it leads through."""
        path: Path = ()
        for position, key in enumerate(keys):
            path = (*path, key)
            if self._counts[path] and position < len(keys) - 1:
                path = (*path, self._counts[path] - 1)
        return path

    def _keys(self) -> Path:
        keys: list[str] = []
        while True:
            self._skip_blank()
            if quoted := self._match(_BASIC) or self._match(_LITERAL):
                keys.append(tomllib.loads(f"key = {quoted}")["key"])
            else:
                keys.append(self._match(_BARE_KEY))
            self._skip_blank()
            if not self._takes("."):
                return tuple(keys)

    def _value(self, path: Path) -> None:
        self._skip_blank()
        if self._takes("["):
            self._members(path, "]")
        elif self._takes("{"):
            self._members(path, "}")
        else:
            any(map(self._match, (_LONG_BASIC, _LONG_LITERAL, _BASIC, _LITERAL, _PLAIN)))

    def _members(self, path: Path, end: str) -> None:
        index = 0
        while True:
            self._skip_blank()
            if self._takes(end):
                return
            if end == "]":
                self._note((*path, index), self._at)
                self._value((*path, index))
                index += 1
            else:
                self._pair(path)
            self._skip_blank()
            self._takes(",")

    def _note(self, path: Path, start: int) -> None:
        self._lines[path] = self._line(start)

    def _line(self, position: int) -> int:
        return bisect_right(self._starts, position)

    def _skip_blank(self) -> int:
        self._match(_BLANK)
        return self._at

    def _takes(self, sign: str) -> bool:
        if not self._text.startswith(sign, self._at):
            return False
        self._at += len(sign)
        return True

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]
