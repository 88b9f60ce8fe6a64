"""The nine patterns by which several harnesses look for a letter, in forms that take linear time.

The patterns are public; the forms here find the same letters. What differs: repetitions are possessive where
giving back could not help, optional parts that change nothing are left out, and each pattern begins with
something that the search can skip to.
"""

import re

from assay.engine.graders.last_match import last_match

# What (?i)answer matches, spelled out: a search that ignores case cannot skip ahead.
_ANSWER = r"[aA][nN][sS\u017f][wW][eE][rR]"
_LONG_S = "\u017f"
# Letters beyond ASCII that count as one of A to Z where case is ignored.
_CASELESS = {"\u0130": "I", "\u0131": "I", "\u017f": "S", "\u212a": "K"}


class NinePatterns:
    """Looks for the letters from A to `last`; each letter is given in the case in which it stands."""

    def __init__(self, last: str) -> None:
        low = last.lower()
        others = "".join(other for other, letter in _CASELESS.items() if letter <= last)
        caseless, every = f"[A-{last}a-{low}{others}]", "".join(_CASELESS)
        self._labelled = re.compile(
            rf"{_ANSWER}[*_]{{0,2}}+\s*+:[\s*_]{{0,2}}+\s*+({caseless})(?![a-zA-Z0-9{every}])"
        )
        self._boxed = re.compile(rf"\\boxed\{{(?:[^}}A-{last}]*+([A-{last}]))*+[^}}A-{last}]*+\}}")
        self._sentence = re.compile(rf"answer is ([a-{low}A-{last}])")
        self._framed_sentence = re.compile(rf"answer is \(([a-{low}A-{last}])\)")
        self._listed = re.compile(rf"\)(?<=([A-{last}])\))")
        self._called_correct = re.compile(rf"([A-{last}])\s++is\s++the\s++correct\s++answer")
        self._before_stop = re.compile(rf"([A-{last}])\s*+\.")
        self._alone = re.compile(rf"([A-{last}])\W")
        self._last = last

    def labelled(self, text: str) -> str | None:
        """The first pattern alone: the last "Answer: X" that no letter or digit follows."""
        if ":" not in text or ("answer" not in text.lower() and _LONG_S not in text):
            return None
        return _group(last_match(self._labelled, text))

    def letter(self, text: str) -> str | None:
        """The last match of the first of the nine that matches anything."""
        return self.labelled(text) or self._in_box(text) or self._stated(text) or self._standing(text)

    def _in_box(self, text: str) -> str | None:
        if "\\boxed{" not in text:
            return None
        # Past the last brace no box is closed.
        letters: list[str] = self._boxed.findall(text, 0, text.rfind("}") + 1)
        return next(filter(None, reversed(letters)), None)

    def _stated(self, text: str) -> str | None:
        if "answer is " not in text:
            return None
        return _group(last_match(self._sentence, text)) or _group(last_match(self._framed_sentence, text))

    def _standing(self, text: str) -> str | None:
        return (
            (_group(last_match(self._listed, text)) if ")" in text else None)
            or (_group(last_match(self._called_correct, text)) if "correct" in text else None)
            or self._final(text)
            or (_group(last_match(self._before_stop, text)) if "." in text else None)
            or _group(last_match(self._alone, text))
        )

    def _final(self, text: str) -> str | None:
        final = text.rstrip()[-1:]
        return final if "A" <= final <= self._last else None


def _group(found: re.Match[str] | None) -> str | None:
    return found[1] if found else None
