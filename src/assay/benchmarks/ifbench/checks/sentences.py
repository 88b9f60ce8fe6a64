"""Instructions that compare the sentences of a response."""

import re
from collections import Counter
from itertools import islice, pairwise

from assay.benchmarks.ifbench.marks import bare_words
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.instructions.arguments import Arguments

_ALLITERATION = re.compile(r"(.)\1+", re.DOTALL)
_SENTENCES = 3


def alliteration_increment(response: str, _arguments: Arguments) -> bool:
    counts = map(_alliterative_words, sentences(response))
    return all(count < following for count, following in pairwise(counts))


def _alliterative_words(sentence: str) -> int:
    """The words in runs of two or more with the same first letter."""
    initials = "".join(word[0] for word in bare_words(sentence.lower()))
    return sum(len(run.group()) for run in _ALLITERATION.finditer(initials))


def increment(response: str, arguments: Arguments) -> bool:
    step = arguments.count("small_n")
    counts = (len(bare_words(sentence)) for sentence in sentences(response))
    return all(following == count + step for count, following in pairwise(counts))


def keyword(response: str, arguments: Arguments) -> bool:
    word, nth = arguments.text("word"), arguments.position("N")
    sentence = next(islice(sentences(response), nth - 1, None), "")
    return bool(re.search(rf"\b{re.escape(word)}\b", sentence, re.IGNORECASE))


def sentence_type(response: str, _arguments: Arguments) -> bool:
    ends = _sentence_ends(response)
    return ends["."] == 2 * ends["?"]


def sentence_balance(response: str, _arguments: Arguments) -> bool:
    ends = _sentence_ends(response)
    return ends["."] == ends["?"] == ends["!"]


def _sentence_ends(response: str) -> Counter[str]:
    return Counter(sentence[-1:] for sentence in sentences(response))


def sentence_words(response: str, _arguments: Arguments) -> bool:
    """Three sentences of equal length; that their words differ is officially asked, but not checked."""
    lengths = [len(sentence.strip()) for sentence in islice(sentences(response), _SENTENCES + 1)]
    return len(lengths) == _SENTENCES and len(set(lengths)) == 1
