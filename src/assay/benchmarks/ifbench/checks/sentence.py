import re
from itertools import pairwise

from assay.benchmarks.ifbench.marks import MARKS_AND_SPACE, bare_words
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.instructions.arguments import Arguments


def alliteration_increment(response: str, _arguments: Arguments) -> bool:
    counts = [-1, *map(_alliterative_words, sentences(response))]
    return all(count < following for count, following in pairwise(counts))


def increment(response: str, arguments: Arguments) -> bool:
    step = arguments.count("small_n")
    counts = [len(bare_words(sentence)) for sentence in sentences(response)]
    return all(following == count + step for count, following in pairwise(counts))


def keyword(response: str, arguments: Arguments) -> bool:
    word, nth = arguments.text("word"), arguments.position("N")
    parts = sentences(response)
    if len(parts) < nth:
        return False
    return bool(re.search(rf"\b{re.escape(word)}\b", parts[nth - 1], re.IGNORECASE))


def _alliterative_words(sentence: str) -> int:
    """The words in runs of two or more with the same first letter."""
    words = (word.lstrip(MARKS_AND_SPACE) for word in sentence.lower().split())
    letters = [word[0] for word in words if word]
    count, in_run = 0, False
    for letter, following in pairwise(letters):
        if letter == following:
            count += 1 if in_run else 2
        in_run = letter == following
    return count
