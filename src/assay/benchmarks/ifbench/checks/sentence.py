import re
from itertools import chain, islice, pairwise

from assay.benchmarks.ifbench.marks import bare_lower_words, bare_words
from assay.engine.graders.english.repeated_sentences import neighbouring_sentences, nth_sentence
from assay.engine.graders.english.repetition import LEAST_CONDENSED, condensed, with_condensed_word
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_ALLITERATION = re.compile(r"(.)\1+", re.DOTALL)


def alliteration_increment(answer: Answer, _arguments: Arguments) -> bool:
    sentences = neighbouring_sentences(with_condensed_word(answer.text))
    # The first has nothing before it to compare with.
    pair = list(islice(sentences, 2))
    counts = map(_alliterative_words, chain(pair if len(pair) > 1 else (), sentences))
    return all(count < following for count, following in pairwise(counts))


def increment(answer: Answer, arguments: Arguments) -> bool:
    step = arguments.count("small_n")
    sentences = neighbouring_sentences(with_condensed_word(answer.text))
    counts = (len(bare_words(sentence)) for sentence in sentences)
    return all(following == count + step for count, following in pairwise(counts))


def keyword(answer: Answer, arguments: Arguments) -> bool:
    word, nth = arguments.text("word"), arguments.position("N")
    is_short = len(word) < LEAST_CONDENSED
    sentence = nth_sentence(with_condensed_word(answer.text) if is_short else answer.text, nth)
    if sentence is None:
        return False
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    return bool(pattern.search(condensed(sentence) if is_short else sentence))


def _alliterative_words(sentence: str) -> int:
    """The words in runs of two or more with the same first letter."""
    initials = "".join([word[0] for word in bare_lower_words(sentence)])
    return sum(run.end() - run.start() for run in _ALLITERATION.finditer(initials))
