"""Finding the chosen letter in an answer, in time linear in its length.

The official patterns are quadratic on long answers without a letter; the forms here find the same letters.
"""

import re

_SENTENCE = re.compile(r"answer is \(?([A-J])\)?")
# A look-ahead, so that the A of a second "Answer:" is not used up as the letter of the first.
_LABEL = re.compile(r"[aA]nswer:(?=\s*([A-J]))")
_ALONE = re.compile(r"\b[A-J]\b")


def official_letter(text: str) -> str | None:
    """The letter as MMLU-Pro's own scripts find it.

    That is the first "answer is (X)"; else the last "Answer: X" of the first line that has one; else the last
    letter from A to J that stands alone.
    """
    sentence = _SENTENCE.search(text)
    if sentence:
        return sentence[1]
    return _label_letter(text) or _last(_ALONE.findall(text))


def _label_letter(text: str) -> str | None:
    labels = _LABEL.finditer(text)
    found = next(labels, None)
    if found is None:
        return None
    line_end = text.find("\n", found.start())
    for label in labels:
        if 0 <= line_end < label.start():
            break
        found = label
    return found[1]


# Nine patterns in order; the last match of the first that matches anything counts.
_LABELLED = re.compile(r"(?i)[\*\_]{0,2}Answer[\*\_]{0,2}\s*:[\s\*\_]{0,2}\s*([A-J])(?![a-zA-Z0-9])")
_BOXED = re.compile(r"\\boxed\{([^}]*)\}")
_LETTER = re.compile(r"[A-J]")
_CHAIN_AFTER_BOXED = tuple(
    map(
        re.compile,
        (
            r"answer is ([a-jA-J])",
            r"answer is \(([a-jA-J])\)",
            r"([A-J])\)",
            r"([A-J])\s+is\s+the\s+correct\s+answer",
            r"([A-J])\s*\Z",
            r"([A-J])\s*\.",
            r"([A-J])\s*[^\w]",
        ),
    )
)


def chain_letter(text: str) -> str | None:
    """The letter as the nine patterns for zero-shot answers find it, in upper case."""
    found = _last(_LABELLED.findall(text)) or _boxed_letter(text)
    for pattern in _CHAIN_AFTER_BOXED:
        if found:
            break
        found = _last(pattern.findall(text))
    return found.upper() if found else None


def _boxed_letter(text: str) -> str | None:
    # Past the last brace no box is closed: looking there is what makes the plain pattern quadratic.
    boxes: list[str] = _BOXED.findall(text, 0, text.rfind("}") + 1)
    return _last([letter for box in boxes if (letter := _last(_LETTER.findall(box)))])


def _last(letters: list[str]) -> str | None:
    return letters[-1] if letters else None
