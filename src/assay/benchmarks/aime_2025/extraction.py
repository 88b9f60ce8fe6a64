"""Finding the answer as three public harnesses do, in time linear in the length of the reply.

Each gives the text it takes for the answer; what number that is, is decided afterwards.
"""

import re

_FILLED_BOX = re.compile(r"(?:boxed|framebox)\{([^}]+)\}")
_INTEGER = re.compile(r"\d+")
_BRACE = re.compile(r"(?:boxed|fbox)\{|[{}]")
_INNER_BOX = re.compile(r"\\(?:boxed|fbox)\{")
_AA_BOX = "\\boxed{"
# In a reply with more braces than any answer has, only the end is read.
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
    """From the last box that a brace follows to the last brace of the whole text."""
    end = text.rfind("}")
    start = text.rfind(_AA_BOX, 0, end) if end >= 0 else -1
    return text[start + len(_AA_BOX) : end] if start >= 0 else None


def matharena_answer(text: str) -> str | None:
    """What is in the last box whose braces balance and that is in no other, without boxes inside it."""
    if "boxed{" not in text and "fbox{" not in text:
        return None
    if text.count("{") + text.count("}") > _MOST_BRACES:
        text = text[-_READ_OF_MANY:]
    found: tuple[int, int, int] | None = None
    opened: list[tuple[int, int] | None] = []
    for brace in _BRACE.finditer(text):
        if brace[0] != "}":
            opened.append(None if brace[0] == "{" else brace.span())
            continue
        box = opened.pop() if opened else None
        # A box that closes later and began earlier holds the ones found before.
        if box is not None and (found is None or box[0] > found[0] or brace.end() > found[2] > box[0]):
            found = (box[0], box[1], brace.end())
    return _without_inner_boxes(text[found[1] : found[2] - 1]) if found else None


def _without_inner_boxes(content: str) -> str:
    start = _INNER_BOX.search(content)
    while start:
        depth = 1
        end = start.end()
        while end < len(content) and depth:
            depth += {"{": 1, "}": -1}.get(content[end], 0)
            end += 1
        content = content[: start.start()] + content[start.end() : end - 1] + content[end:]
        start = _INNER_BOX.search(content)
    return content
