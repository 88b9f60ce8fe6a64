"""Whether sentences end in the word that the next one starts with."""

from assay.benchmarks.ifbench.marks import stripped_before, stripped_behind, stripped_with_spaces
from assay.engine.graders.english.bulk_sentences import BulkSentences
from assay.engine.graders.english.code_points import Runs, are_blanks, lower_codes_of, outer_words
from assay.engine.graders.english.distinct import are_alike


def meet(sentence: str, following: str) -> bool:
    """The last word without marks behind it, and the first without marks before it."""
    last = stripped_behind(sentence).rsplit(None, 1)[-1:]
    first = stripped_before(following).split(None, 1)[:1]
    return bool(last and first) and last[0].lower() == first[0].lower()


def meet_in_bulk(sentences: BulkSentences) -> bool | None:
    """The same for all neighbours; None where that cannot be told."""
    text = sentences.passage.text
    codes = lower_codes_of(text)
    are_blank = are_blanks(codes)
    filled = Runs(sentences.starts, sentences.stops).filled()
    # Small letters of a sigma depend on what stands around it.
    if "Σ" in text or len(codes) != len(text) or len(filled.starts) < len(sentences):
        return None
    bare = stripped_with_spaces(codes, filled).filled()
    if len(bare.starts) < len(sentences) or are_blank[bare.starts].any() or are_blank[bare.ends - 1].any():
        return None
    first, last = outer_words(bare, filled, are_blank)
    return are_alike(codes, last.chosen(slice(0, -1)), first.chosen(slice(1, None)))
