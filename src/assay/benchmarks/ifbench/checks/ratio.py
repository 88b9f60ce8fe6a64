import numpy as np

from assay.benchmarks.ifbench.trigrams import Trigrams, trigrams_by_part, union
from assay.engine.graders.english.characters import GAP, blocks
from assay.engine.graders.english.code_points import are_word_characters, lower_codes_of, runs_of
from assay.engine.graders.english.stop_words import STOP_WORDS
from assay.engine.graders.english.vocabulary import Vocabulary
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_OVERLAP_TOLERANCE = 2
_STOP_WORDS = Vocabulary(STOP_WORDS)
_SENTENCES = 3


def stop_words(answer: Answer, arguments: Arguments) -> bool:
    most = arguments.number("percentage")
    counts = answer.facts(_stop_words)
    total = sum(total for _, total in counts)
    return total > 0 and sum(stops for stops, _ in counts) / total * 100 <= most


def sentence_type(answer: Answer, _arguments: Arguments) -> bool:
    if not answer.may_end_in_as_many(".", 2, "?"):
        return False
    ends = answer.sentences().last_characters()
    return ends["."] == 2 * ends["?"]


def sentence_balance(answer: Answer, _arguments: Arguments) -> bool:
    if not answer.may_end_in_as_many("?", 1, "!") or not answer.may_end_in_as_many(".", 1, "?"):
        return False
    ends = answer.sentences().last_characters()
    return ends["."] == ends["?"] == ends["!"]


def overlap(answer: Answer, arguments: Arguments) -> bool:
    """Trigrams of characters, as the official scorer cuts them."""
    wanted, reference = arguments.number("percentage"), Trigrams(arguments.text("reference_text"))
    lowest, highest = wanted - _OVERLAP_TOLERANCE, wanted + _OVERLAP_TOLERANCE
    parts = trigrams_by_part(answer)
    least = max(map(len, parts))
    if not least:
        return False
    # Most long answers have too many for a verdict to depend on which they are.
    most_shared = len(reference) / least * 100
    if most_shared < lowest or (lowest <= 0 and most_shared <= highest):
        return lowest <= 0
    ours = union(parts)
    shared = len(np.intersect1d(ours, reference.numbers(), assume_unique=True)) / len(ours) * 100
    return lowest <= shared <= highest


def sentence_words(answer: Answer, _arguments: Arguments) -> bool:
    """Three sentences of equal length; that their words differ is officially asked, but not checked."""
    if answer.sentence_count(_SENTENCES + 1) != _SENTENCES:
        return False
    return len({len(sentence.strip()) for sentence in answer.sentences()}) == 1


def _stop_words(text: str) -> tuple[int, int]:
    stops = total = 0
    for block in blocks(text, GAP):
        codes = lower_codes_of(block)
        runs = runs_of(are_word_characters(codes))
        stops += int(np.count_nonzero(_STOP_WORDS.find(codes, runs) >= 0))
        total += len(runs.starts)
    return stops, total
