import re
from operator import lt

import numpy as np
from numpy.typing import NDArray

from assay.benchmarks.ifbench.marks import MARKS, bare_lower_words, bare_lower_words_at_once, bare_words
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.keyword import text_has_word

_LONG = 5_000
_BEYOND_ASCII = 0x80
_LOWER_WITHOUT_BLANKS = bytes(
    0 if code < _BEYOND_ASCII and chr(code).isspace() else code for code in bytes(range(256)).lower()
)
_WIDE_BLANKS = [chr(code) for code in range(_BEYOND_ASCII, 0x3001) if chr(code).isspace()]
_ALLITERATION = re.compile(r"(.)\1+", re.DOTALL)


def alliteration_increment(answer: Answer, _arguments: Arguments) -> bool:
    return answer.sentences_agree(_alliterative_words, lt)


def increment(answer: Answer, arguments: Arguments) -> bool:
    return answer.sentences_agree(_word_count, _is_more_by, arguments.count("small_n"))


def keyword(answer: Answer, arguments: Arguments) -> bool:
    word, sentence = arguments.text("word"), answer.nth_sentence(arguments.position("N"))
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    return sentence is not None and text_has_word(sentence, word, pattern)


def _alliterative_words(sentence: str) -> int:
    """The words in runs of two or more with the same first letter."""
    if len(sentence) < _LONG:
        initials = "".join([word[0] for word in bare_lower_words(sentence)])
        return sum(run.end() - run.start() for run in _ALLITERATION.finditer(initials))
    codes = _initials(sentence)
    same = np.zeros(len(codes) + 1, np.bool_)
    same[1:-1] = codes[1:] == codes[:-1]
    return int(np.count_nonzero(same[1:] | same[:-1]))


def _word_count(sentence: str) -> int:
    if len(sentence) < _LONG:
        return len(bare_words(sentence))
    initials = _first_octets(sentence)
    return len(bare_lower_words_at_once(sentence).runs.starts) if initials is None else len(initials)


def _initials(sentence: str) -> NDArray[np.uint8] | NDArray[np.uint32]:
    """The first characters of the words, in small letters."""
    initials = _first_octets(sentence)
    if initials is not None and not (initials >= _BEYOND_ASCII).any():
        return initials
    words = bare_lower_words_at_once(sentence)
    return words.codes[words.runs.starts]


def _first_octets(sentence: str) -> NDArray[np.uint8] | None:
    """Those of the words, small letters for those of ASCII; None where words are not parted as usual."""
    if "\0" in sentence or (not sentence.isascii() and any(blank in sentence for blank in _WIDE_BLANKS)):
        return None
    parted = sentence.encode("utf-8", "surrogatepass").translate(
        _LOWER_WITHOUT_BLANKS, delete=MARKS.encode("ascii")
    )
    octets = np.frombuffer(b"\0" + parted, np.uint8)
    are_solid = octets != 0
    return octets[np.flatnonzero(are_solid[1:] > are_solid[:-1]) + 1]


def _is_more_by(count: int, following: int, step: int) -> bool:
    return following == count + step
