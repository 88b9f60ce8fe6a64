"""The last of the letters that name options, by what stands beside it.

A text of Latin-1 is searched as bytes of which all of one kind are made the same: where there are letters
everywhere, that is many times faster than a pattern.
"""

import re
from collections.abc import Callable
from string import ascii_uppercase

from assay.engine.graders.last_match import last_match

_LATIN = [chr(code) for code in range(256)]
_BLANKS = "".join(filter(str.isspace, _LATIN)).encode("latin-1")
_OTHER_BLANKS = re.compile(r"[\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]\s*+")
_BOX, _BOX_MARK = "\\boxed{", "\0"


class OptionLetters:
    """Looks for the letters from A to `last`."""

    def __init__(self, last: str) -> None:
        letters = ascii_uppercase[: ascii_uppercase.index(last) + 1]
        self._alone = re.compile(rf"[A-{last}](?!\w)(?<!\w[A-{last}])")
        self._ending_word = re.compile(rf"[A-{last}](?=\W)")
        self._kinds = _table(letters, lambda one: "a" if one.isalnum() or one == "_" else " ")
        self._same = _table(letters, str)
        self._beside_boxes = "".join(set(_LATIN) - {*letters, _BOX_MARK, "}"}).encode("latin-1")

    def alone(self, text: str) -> str | None:
        """The last that no letter, digit or underscore stands beside."""
        kinds = self._kinds_of(text)
        if kinds is None:
            found = last_match(self._alone, text)
            return found[0] if found else None
        at = b" ".join((b"", kinds, b"")).rfind(b" A ")
        return text[at] if at >= 0 else None

    def ending_word(self, text: str) -> str | None:
        """The last that is followed by anything but a letter, a digit or an underscore."""
        kinds = self._kinds_of(text)
        if kinds is None:
            found = last_match(self._ending_word, text)
            return found[0] if found else None
        at = kinds.rfind(b"A ")
        return text[at] if at >= 0 else None

    def before_stop(self, text: str) -> str | None:
        """The last before a full stop, with or without white space between them."""
        latin = _latin(text)
        if latin is None:
            latin = _OTHER_BLANKS.sub("", text).encode("latin-1", "replace")
        solid = latin.translate(None, _BLANKS)
        at = solid.translate(self._same).rfind(b"A.")
        return chr(solid[at]) if at >= 0 else None

    def boxed(self, text: str) -> str | None:
        r"""The last in the last `\boxed{}` that has one; the first brace closes it, whatever was opened."""
        if _BOX not in text:
            return None
        marked = text.replace(_BOX_MARK, "").replace(_BOX, _BOX_MARK)
        left = marked.encode("latin-1", "replace").translate(None, self._beside_boxes)
        at = left.translate(self._same).rfind(b"\0A", 0, left.rfind(b"}") + 1)
        if at < 0:
            return None
        content, _, _ = left[at:].partition(b"}")
        return chr(content.replace(b"\0", b"")[-1])

    def _kinds_of(self, text: str) -> bytes | None:
        latin = _latin(text)
        return None if latin is None else latin.translate(self._kinds)


def _table(letters: str, other: Callable[[str], str]) -> bytes:
    """Makes an A of each of the letters."""
    return "".join("A" if one in letters else other(one) for one in _LATIN).encode("latin-1")


def _latin(text: str) -> bytes | None:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return None
