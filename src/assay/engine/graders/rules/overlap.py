"""How much of the expected text an answer has: word F1, ROUGE-L and BLEU, each from 0 to 1."""

import functools
import re
import string
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec

from assay.domain.dataset_report import Grading
from assay.domain.errors import MissingExtraError

_WORD = re.compile(r"[^\W_]+")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@functools.cache
def missing_library(grading: Grading) -> str | None:
    """What to install before this grader can be used here, or None."""
    needed = {Grading.ROUGE_L: "rapidfuzz", Grading.BLEU: "sacrebleu"}.get(grading)
    if needed is None or find_spec(needed) is not None:
        return None
    return str(MissingExtraError(f"the grader {grading.value!r}", "text"))


def f1(answer: str, expected: str) -> float:
    """Of the words that both have, as often as both have them; articles, case and marks do not count."""
    said, wanted = Counter(_squad_words(answer)), Counter(_squad_words(expected))
    if not said or not wanted:
        return float(said == wanted)
    return _f_measure((said & wanted).total(), said.total(), wanted.total())


def _squad_words(text: str) -> Sequence[str]:
    return _ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def rouge_l(answer: str, expected: str) -> float:
    """Of the longest sequence of words that both have in this order, with any others between them."""
    try:
        from rapidfuzz.distance import LCSseq  # noqa: PLC0415 # optional
    except ImportError as error:
        raise MissingExtraError("grading by ROUGE-L", "text") from error
    said, wanted = _WORD.findall(answer.lower()), _WORD.findall(expected.lower())
    if not said or not wanted:
        return 0.0
    return _f_measure(LCSseq.similarity(said, wanted), len(said), len(wanted))


def bleu(answer: str, expected: Sequence[str]) -> float:
    """Of one sentence against all references, with sacrebleu's tokens and smoothing."""
    try:
        from sacrebleu import sentence_bleu  # noqa: PLC0415 # optional
    except ImportError as error:
        raise MissingExtraError("grading by BLEU", "text") from error
    return min(1.0, sentence_bleu(answer, list(expected)).score / 100)


def _f_measure(common: int, said: int, wanted: int) -> float:
    return 2 * common / (said + wanted)
