"""The sentences of long texts that only repeat a few, without finding each of them."""

from collections.abc import Iterator
from itertools import islice, takewhile
from operator import eq

from assay.engine.graders.english.repetition import shortened
from assay.engine.graders.english.sentences import sentence_stream


def nth_sentence(text: str, nth: int) -> str | None:
    """The sentence of this number, counted from 1."""
    if nth > sum(map(text.count, ".?!")) + 1:
        return None
    short = shortened(text)
    if short.left_out:
        found, longer = (list(sentence_stream(one, {})) for one in (short.text, short.longer))
        repeated = len(longer) - len(found)
        if repeated > 0:
            same = sum(1 for _ in takewhile(bool, map(eq, found, longer)))
            # A sentence after the middle of the repeats that were kept is one of the same in the middle.
            beyond = nth - (same - 3 * repeated)
            passed = min(short.left_out, max(0, -(-beyond // repeated)))
            return next(iter(found[nth - 1 - passed * repeated :]), None)
    return next(islice(sentence_stream(text, {}), nth - 1, None), None)


def neighbouring_sentences(text: str) -> Iterator[str]:
    """The sentences, without most repeats: any two neighbours of the text are neighbours here."""
    short = shortened(text)
    if short.left_out:
        found, longer = (list(sentence_stream(one, {})) for one in (short.text, short.longer))
        if len(longer) > len(found):
            return iter(found)
    return sentence_stream(text, {})
