from collections import Counter
from itertools import islice

from assay.benchmarks.ifbench.trigrams import trigrams, trigrams_in
from assay.engine.graders.english.repetition import condensed, condensed_by, shortened
from assay.engine.graders.english.sentences import sentence_stream
from assay.engine.graders.english.stop_words import STOP_WORDS
from assay.engine.graders.english.words import word_runs
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_OVERLAP_TOLERANCE = 2
_SENTENCES = 3


def stop_words(answer: Answer, arguments: Arguments) -> bool:
    most = arguments.number("percentage")
    counts = answer.facts(_stop_words)
    total = sum(total for _, total in counts)
    return total > 0 and sum(stops for stops, _ in counts) / total * 100 <= most


def sentence_type(answer: Answer, _arguments: Arguments) -> bool:
    ends = _sentence_ends(answer, ".?")
    return ends["."] == 2 * ends["?"]


def sentence_balance(answer: Answer, _arguments: Arguments) -> bool:
    ends = _sentence_ends(answer, ".?!")
    return ends["."] == ends["?"] == ends["!"]


def overlap(answer: Answer, arguments: Arguments) -> bool:
    """Trigrams of characters, as the official scorer cuts them."""
    wanted = arguments.number("percentage")
    ours, reference = trigrams(answer), trigrams_in(arguments.text("reference_text"))
    if not ours:
        return False
    shared = len(ours & reference) / len(ours) * 100
    return wanted - _OVERLAP_TOLERANCE <= shared <= wanted + _OVERLAP_TOLERANCE


def sentence_words(answer: Answer, _arguments: Arguments) -> bool:
    """Three sentences of equal length; that their words differ is officially asked, but not checked."""
    short = condensed_by(answer.text)
    lengths = _lengths(short.text)
    if short.left_out:
        grown = zip(lengths, _lengths(short.longer), strict=False)
        lengths = [length + (longer - length) * short.left_out for length, longer in grown]
    return len(lengths) == _SENTENCES and len(set(lengths)) == 1


def _lengths(text: str) -> list[int]:
    """Those of the first sentences, and of one more than there should be."""
    return [len(sentence.strip()) for sentence in islice(sentence_stream(text, {}), _SENTENCES + 1)]


def _stop_words(text: str) -> tuple[int, int]:
    runs = word_runs(text.lower())
    return sum(map(STOP_WORDS.__contains__, runs)), len(runs)


def _sentence_ends(answer: Answer, marks: str) -> Counter[str]:
    """How many sentences end in each of the marks; where one mark is missing, whether any do in another."""
    # Where a seam cuts a sentence in two, the first half ends in a letter or digit.
    if all(mark in answer.text for mark in marks):
        return sum((stretch.fact(_ends_in) for stretch in answer.stretches()), Counter[str]())
    first = next(filter(None, (stretch.fact(_first_end, marks) for stretch in answer.stretches())), None)
    return Counter([first] if first else [])


def _ends_in(text: str) -> Counter[str]:
    short = shortened(text)
    ends = Counter(sentence[-1:] for sentence in sentence_stream(short.text, {}))
    if short.left_out:
        longer = Counter(sentence[-1:] for sentence in sentence_stream(short.longer, {}))
        for end in longer:
            ends[end] += (longer[end] - ends[end]) * short.left_out
    return ends


def _first_end(text: str, marks: str) -> str | None:
    return next(
        (sentence[-1] for sentence in sentence_stream(condensed(text), {}) if sentence[-1:] in marks),
        None,
    )
