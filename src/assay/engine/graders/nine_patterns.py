"""The nine patterns by which several harnesses look for a letter, in forms that take linear time.

The patterns are public; the forms here find the same letters. What differs: repetitions are possessive where
giving back could not help, optional parts that change nothing are left out, and each pattern begins with
something that the search can skip to.
"""

import re

from assay.engine.graders.last_match import last_match
from assay.engine.graders.option_letters import OptionLetters

# What (?i)answer matches, spelled out, from its rarest letter on: a search that ignores case skips nothing.
_ANSWER = r"[rR](?<=[aA][nN][sS\u017f][wW][eE][rR])"
_END_OF_ANSWER = re.compile(r"[wW][eE][rR]")
_CALLED_CORRECT = re.compile(r"is\s++the\s++correct\s++answer")
# Letters beyond ASCII that count as one of A to Z where case is ignored.
_CASELESS = {"\u0130": "I", "\u0131": "I", "\u017f": "S", "\u212a": "K"}


class NinePatterns:
    """Looks for the letters from A to `last`; each letter is given in the case in which it stands."""

    def __init__(self, last: str) -> None:
        low = last.lower()
        others = "".join(other for other, letter in _CASELESS.items() if letter <= last)
        caseless, every = f"[A-{last}a-{low}{others}]", "".join(_CASELESS)
        after_colon = rf":[\s*_]{{0,2}}+\s*+({caseless})(?![a-zA-Z0-9{every}])"
        self._after_colon = re.compile(after_colon)
        self._labelled = re.compile(rf"{_ANSWER}[*_]{{0,2}}+\s*+{after_colon}")
        self._sentence = re.compile(rf"answer is ([a-{low}A-{last}])")
        self._framed_sentence = re.compile(rf"answer is \(([a-{low}A-{last}])\)")
        self._listed = re.compile(rf"\)(?<=([A-{last}])\))")
        self._called_correct = re.compile(rf"([A-{last}])\s++is\s++the\s++correct\s++answer")
        self._letters = OptionLetters(last)
        self._last = last

    def labelled(self, text: str) -> str | None:
        """The first pattern alone: the last "Answer: X" that no letter or digit follows."""
        # Most texts lack one of these, which is seen sooner than that they do not stand together.
        if ":" not in text or not _END_OF_ANSWER.search(text) or not self._after_colon.search(text):
            return None
        return _group(last_match(self._labelled, text))

    def letter(self, text: str) -> str | None:
        """The last match of the first of the nine that matches anything."""
        return self.labelled(text) or self._letters.boxed(text) or self._stated(text) or self._standing(text)

    def _stated(self, text: str) -> str | None:
        if "answer is " not in text:
            return None
        # The letter may begin the next "answer is": which of the two is found depends on all before them.
        letters: list[str] = self._sentence.findall(text)
        return letters[-1] if letters else _group(last_match(self._framed_sentence, text))

    def _standing(self, text: str) -> str | None:
        return (
            (_group(last_match(self._listed, text)) if ")" in text else None)
            or (_group(last_match(self._called_correct, text)) if _CALLED_CORRECT.search(text) else None)
            or self._final(text)
            or (self._letters.before_stop(text) if "." in text else None)
            or self._letters.ending_word(text)
        )

    def _final(self, text: str) -> str | None:
        final = text.rstrip()[-1:]
        return final if "A" <= final <= self._last else None


def _group(found: re.Match[str] | None) -> str | None:
    return found[1] if found else None
