r"""The nine public patterns by which several harnesses look for a letter.

They are searched with MULTILINE and DOTALL. The forms here find the same letters in linear time: optional
parts that change nothing are left out, and the pattern for `\boxed{}` is split in two, for boxes and for the
letters in them.
"""

import re

from assay.engine.graders.last_match import last_match

_BOX = re.compile(r"\\boxed\{([^}]*)\}")


class NinePatterns:
    """Looks for the letters from A to `last`; each letter is given in the case in which it stands."""

    def __init__(self, last: str) -> None:
        low = last.lower()
        self._labelled = re.compile(rf"(?i)answer[*_]{{0,2}}\s*:[\s*_]{{0,2}}\s*([A-{last}])(?![a-zA-Z0-9])")
        self._capital = re.compile(rf"[A-{last}]")
        self._sentence = re.compile(rf"answer is ([a-{low}A-{last}])")
        self._framed_sentence = re.compile(rf"answer is \(([a-{low}A-{last}])\)")
        self._listed = re.compile(rf"([A-{last}])\)")
        self._called_correct = re.compile(rf"([A-{last}])\s+is\s+the\s+correct\s+answer")
        self._ending_line = re.compile(rf"(?m)([A-{last}])[^\S\n]*$")
        self._before_stop = re.compile(rf"([A-{last}])\s*\.")
        self._ending_word = re.compile(rf"([A-{last}])\W")

    def labelled(self, text: str) -> str | None:
        """The first pattern alone: the last "Answer: X" that no letter or digit follows."""
        return _group(last_match(self._labelled, text))

    def letter(self, text: str) -> str | None:
        """The last match of the first of the nine that matches anything."""
        return (
            self.labelled(text)
            or self._boxed(text)
            or self._stated(text)
            or _group(last_match(self._framed_sentence, text))
            or _group(last_match(self._listed, text))
            or _group(last_match(self._called_correct, text))
            or _group(last_match(self._ending_line, text))
            or _group(last_match(self._before_stop, text))
            or _group(last_match(self._ending_word, text))
        )

    def _boxed(self, text: str) -> str | None:
        r"""The last in the last `\boxed{}` that has one; the first brace closes it, whatever was opened."""
        # No box is closed after the last brace; to look for its end there would take quadratic time.
        boxes: list[str] = _BOX.findall(text, 0, text.rfind("}") + 1)
        letters = (self._capital.findall(box) for box in reversed(boxes))
        return next((found[-1] for found in letters if found), None)

    def _stated(self, text: str) -> str | None:
        # The letter may begin the next "answer is": which of the two is found depends on all before them.
        letters: list[str] = self._sentence.findall(text)
        return letters[-1] if letters else None


def _group(found: re.Match[str] | None) -> str | None:
    return found[1] if found else None
