from collections import Counter

from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.english.stop_words import STOP_WORDS
from assay.engine.graders.english.words import word_runs
from assay.engine.graders.instructions.arguments import Arguments

_OVERLAP_TOLERANCE = 2
_SENTENCES = 3


def stop_words(response: str, arguments: Arguments) -> bool:
    most = arguments.number("percentage")
    runs = word_runs(response.lower()) if response.isascii() else [run.lower() for run in word_runs(response)]
    if not runs:
        return False
    return sum(run in STOP_WORDS for run in runs) / len(runs) * 100 <= most


def sentence_type(response: str, _arguments: Arguments) -> bool:
    ends = _sentence_ends(response)
    return ends["."] == 2 * ends["?"]


def sentence_balance(response: str, _arguments: Arguments) -> bool:
    ends = _sentence_ends(response)
    return ends["."] == ends["?"] == ends["!"]


def overlap(response: str, arguments: Arguments) -> bool:
    """Trigrams of characters, as the official scorer cuts them."""
    wanted = arguments.number("percentage")
    ours, reference = _trigrams(response), _trigrams(arguments.text("reference_text"))
    if not ours:
        return False
    shared = len(ours & reference) / len(ours) * 100
    return wanted - _OVERLAP_TOLERANCE <= shared <= wanted + _OVERLAP_TOLERANCE


def sentence_words(response: str, _arguments: Arguments) -> bool:
    """Three sentences of equal length; that their words differ is officially asked, but not checked."""
    lengths = [len(sentence.strip()) for sentence in sentences(response)]
    return len(lengths) == _SENTENCES and len(set(lengths)) == 1


def _sentence_ends(response: str) -> Counter[str]:
    return Counter(sentence[-1:] for sentence in sentences(response))


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}
