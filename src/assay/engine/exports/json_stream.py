"""Reads a JSON document of any length, holding one value in memory at a time."""

import codecs
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError

_CHUNK = 1 << 20
# Shorter texts take little memory, whatever they hold.
_ALWAYS_SCANNED = 8 * _CHUNK
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
# The text so far may end inside an exponent, after its letter or sign.
_NUMBER_CHARACTERS = ("", ".", "e", "E")
_LONGEST_TAIL = 3
_MOST_DIGITS = 300


class MalformedError(InvalidValueError):
    """The text is not the JSON it should be."""


def whole_number(digits: str) -> int:
    """A longer one could not be compared with a float."""
    if len(digits) > _MOST_DIGITS:
        raise MalformedError(f"a number has more than {_MOST_DIGITS} digits")
    return int(digits)


@dataclass(frozen=True, slots=True)
class ValueLimits:
    """What one value may have: without limits a forged document could exhaust the memory.

    The defaults are far above any attempt, and above the list of the items of a run of millions.
    """

    characters: int = 256 << 20
    # Values inside it; each takes up to a hundred bytes of memory, however short it is.
    parts: int = 20_000_000


class JsonStream:
    """A cursor over a document; each method consumes what it names or raises MalformedError."""

    def __init__(self, read: Callable[[int], bytes], limits: ValueLimits | None = None) -> None:
        self._read = read
        self._limits = limits or ValueLimits()
        self._decode = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._is_exhausted = False
        self._scan = json.JSONDecoder(parse_int=whole_number).raw_decode

    def members(self) -> Iterator[str]:
        """The keys of an object; read the value of each before the next key."""
        self._take("{")
        if self._peek() == "}":
            self._take("}")
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise MalformedError("a key was expected in an object")
            self._take(":")
            yield key
            if self._peek() != ",":
                break
            self._take(",")
        self._take("}")

    def elements(self) -> Iterator[None]:
        """Yields before each element of an array; read the element before continuing."""
        self._take("[")
        if self._peek() == "]":
            self._take("]")
            return
        while True:
            yield
            if self._peek() != ",":
                break
            self._take(",")
        self._take("]")

    def value(self) -> Json:
        return self.raw_value()[1]

    def raw_value(self) -> tuple[str, Json]:
        """The next value, with the text it was parsed from."""
        self._peek()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._grow():
                    raise MalformedError(f"a value cannot be read: {type(error).__name__}") from error
                continue
            if not self._may_continue(end) or not self._grow():
                text = self._text[self._at : end]
                self._at = end
                return text, value

    def _may_continue(self, end: int) -> bool:
        """Whether the value may be the start of a longer number whose rest has not been read."""
        return self._text[end : end + 1] in _NUMBER_CHARACTERS and len(self._text) - end < _LONGEST_TAIL

    def end(self) -> None:
        """Raise unless the whole document has been read."""
        if self._peek() != "":
            raise MalformedError("there is text after the end of the document")

    def _take(self, wanted: str) -> None:
        found = self._peek()
        if found != wanted:
            raise MalformedError(f"{wanted!r} was expected, found {found or 'the end'!r}")
        self._at += 1

    def _peek(self) -> str:
        while True:
            # A search, because a forged document may hold gigabytes of spaces.
            if (found := _NOT_BLANK.search(self._text, self._at)) is None:
                self._at = len(self._text)
            else:
                self._at = found.start()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._grow():
                return ""

    def _grow(self) -> bool:
        """Read at least as much as is pending, so that a long value is scanned only a few times."""
        if self._is_exhausted:
            return False
        pending = len(self._text) - self._at
        if pending > self._limits.characters:
            raise MalformedError(f"a value is longer than {self._limits.characters:,} characters")
        chunk = self._read(max(_CHUNK, pending))
        self._is_exhausted = not chunk
        try:
            self._text = self._text[self._at :] + self._decode.decode(chunk, final=self._is_exhausted)
        except UnicodeDecodeError as error:
            raise MalformedError("the text is not UTF-8") from error
        self._at = 0
        if len(self._text) > _ALWAYS_SCANNED and sum(map(self._text.count, "[{,")) > self._limits.parts:
            raise MalformedError(f"a value has more than {self._limits.parts:,} parts")
        return not self._is_exhausted
