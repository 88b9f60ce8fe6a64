"""Where a text says that an answer follows."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from assay.engine.graders.robust.markup import BOX_CLOSES, BOX_OPENS

# The last of so many cues are followed up: a statement is not hidden behind more.
_MOST = 48
_NAMES = r"answer|antwort|respuesta|réponse|risposta|resposta|答案|正解|答え|ответ|ans\.?(?=[: ])"
_QUALITIES = "correct|right|best|proper|appropriate|accurate|valid|final|only|true"
_NOUNS = "option|choice|alternative|letter|statement|one|solution|value|result"
_VERBS = "choose|pick|select|go with|opt for|say|guess"
# In lower case and with literal beginnings: so that the search can skip what begins no cue.
_CUE = re.compile(
    rf"{_NAMES}|(?:{_QUALITIES}) (?:{_NOUNS})|<answer>"
    rf"|therefore|thus|hence|so[, :]|i(?: would| will| shall| must|'d|'ll)? (?:{_VERBS})|we (?:{_VERBS})"
)
_CHOOSING = ("therefore", "thus", "hence", "so", "i", "we")

CONNECTOR = re.compile(
    r"(?<![A-Za-z])(?i:is|are|be|was|becomes|remains|lautet|ist|es|est|equals)(?![A-Za-z'])"
    rf"|[:=\n{BOX_OPENS}\u2192\u2013\u2014是为為は]|->|=>|- |è"
)
"""What stands between the word for the answer and the answer."""

_LONGEST_SENTENCE = 400
_ABBREVIATIONS = ("Dr", "Mr", "Ms", "St", "Mrs", "Jr", "vs", "ca", "Prof", r"e\.g", r"i\.e")
_NO_ABBREVIATION = "".join(rf"(?<!\b{one})" for one in _ABBREVIATIONS)
_SENTENCE_END = re.compile(
    rf"(?<!\b[A-Z]){_NO_ABBREVIATION}[.!?;](?=\s|$)"
    rf"|(?<=[\w)\]}}\"'.*{BOX_CLOSES}])\n"
)


class Cue(NamedTuple):
    """Up to `end` stands what announces an answer: by name, or by choosing or concluding."""

    end: int
    kind: Literal["answer", "choosing"]


def cues_backwards(text: str) -> Iterator[Cue]:
    """The cues of the text, the last first."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text  # a letter that lower case makes two of: positions would be off
    for found in reversed(list(_CUE.finditer(lowered))[-_MOST:]):
        if _is_whole_word(lowered, *found.span()):
            yield Cue(found.end(), "choosing" if found[0].startswith(_CHOOSING) else "answer")


def sentence_at(text: str, start: int) -> str:
    """From `start` to the end of the sentence or of the line, but past a line that only announces."""
    found = _SENTENCE_END.search(text, start, start + _LONGEST_SENTENCE)
    return text[start : found.start() if found else start + _LONGEST_SENTENCE]


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Words are separated by what is beside them, except in scripts that do not separate words."""
    if not text[start].isascii():
        return True
    is_begun = start > 0 and text[start - 1].isascii() and text[start - 1].isalnum()
    goes_on = text[end - 1].isalpha() and text[end : end + 1].isascii() and text[end : end + 1].isalpha()
    return not is_begun and not goes_on
