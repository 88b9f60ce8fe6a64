"""Finding the answer as three public harnesses do, in time linear in the length of the reply.

Each gives the text it takes for the answer; what number that is, is decided afterwards.
"""

import re
from typing import NamedTuple

from assay.engine.graders.last_match import last_match

_FILLED_BOX = re.compile(r"(?:boxed|framebox)\{([^}]+)\}")
_INTEGER = re.compile(r"\d+")
_BOX_OR_BRACE = re.compile(r"(?:boxed|fbox)\{|[{}]")
_INNER_BOX_OR_BRACE = re.compile(r"\\(?:boxed|fbox)\{|[{}]")
_AA_BOX = re.compile(r"(?i)\\boxed\{")
# In a reply with more braces than any answer has, only the end is read. In a longer box the boxes stay.
_MOST_BRACES = 20_000
_READ_OF_MANY = 40_000


def gpt_oss_answer(text: str) -> str | None:
    """What follows the last comma in the last box that is not empty, else the last run of digits.

    A box ends at the first closing brace, whatever was opened in it.
    """
    # No box is closed after the last brace; to look for its end there would take quadratic time.
    boxes: list[str] = _FILLED_BOX.findall(text, 0, text.rfind("}") + 1)
    if boxes:
        return boxes[-1].rpartition(",")[2].strip()
    integers: list[str] = _INTEGER.findall(text)
    return integers[-1] if integers else None


def aa_answer(text: str) -> str | None:
    """From the last box to the last brace of the whole text; nothing if that box is not closed."""
    box = last_match(_AA_BOX, text)
    end = text.rfind("}")
    return text[box.end() : end] if box and box.end() <= end else None


def matharena_answer(text: str) -> str | None:
    """What is in the last box whose braces balance and that is in no other, without the boxes in it.

    Of a box in such an inner box the braces stay.
    """
    if "boxed{" not in text and "fbox{" not in text:
        return None
    if text.count("{") + text.count("}") > _MOST_BRACES:
        text = text[-_READ_OF_MANY:]
    boxes = _outer_boxes(text, _BOX_OR_BRACE)
    if not boxes:
        return None
    content = boxes[-1].content
    if len(content) > _READ_OF_MANY:
        return content
    # Every occurrence is replaced, as in the original; equal boxes need to be replaced once.
    for inner in dict.fromkeys(_outer_boxes(content, _INNER_BOX_OR_BRACE)):
        content = content.replace(inner.whole, inner.content)
    return content


class _Box(NamedTuple):
    whole: str
    content: str


def _outer_boxes(text: str, box_or_brace: re.Pattern[str]) -> list[_Box]:
    """The boxes whose braces balance and that are in no other such box, in order."""
    found: list[tuple[int, int, int]] = []
    opened: list[tuple[int, int] | None] = []
    for brace in box_or_brace.finditer(text):
        if brace[0] != "}":
            opened.append(None if brace[0] == "{" else brace.span())
        elif opened and (box := opened.pop()) is not None:
            # It holds the boxes that began later and were closed earlier.
            while found and found[-1][0] > box[0]:
                found.pop()
            found.append((*box, brace.end()))
    return [_Box(text[start:end], text[content : end - 1]) for start, content, end in found]
