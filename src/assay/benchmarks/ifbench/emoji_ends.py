"""Whether sentences end in an emoji."""

from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np

from assay.benchmarks.ifbench.marks import without_marks
from assay.domain.errors import MissingExtraError
from assay.engine.graders.english.alike import alike
from assay.engine.graders.english.bulk_sentences import BulkSentences

_TAIL_CHARACTERS = 4


def has_emoji(sentence: str, following: str) -> bool:
    """Whether the sentence ends in one, or the following one starts with it."""
    return closes_with_emoji(sentence) or bool(_bare(sentence) and emoji_test()(_bare(following)[:1]))


def closes_with_emoji(sentence: str) -> bool:
    closes = _ends_in_emoji(sentence[-_TAIL_CHARACTERS:])
    return any(map(emoji_test(), _bare(sentence)[-2:])) if closes is None else closes


def close_with_emoji(sentences: BulkSentences) -> bool | None:
    """Whether all of them end in one; None where it would take more to tell."""
    codes, stops = sentences.passage.codes, sentences.stops
    tail = [
        np.where(stops - back < sentences.starts, 0, codes[np.maximum(stops - back, 0)])
        for back in range(1, _TAIL_CHARACTERS + 1)
    ]
    tail = [code.astype(np.uint64) for code in tail]
    examples = alike([tail[0] << np.uint64(32) | tail[1], tail[2] << np.uint64(32) | tail[3]])
    found = (sentences[example] for example in np.flatnonzero(examples == np.arange(len(stops))).tolist())
    return True if all(_ends_in_emoji(sentence[-_TAIL_CHARACTERS:]) for sentence in found) else None


@cache
def emoji_test() -> Callable[[str], bool]:
    try:
        from emoji import is_emoji  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the emoji check of IFBench", "ifbench") from error
    return is_emoji


@lru_cache(maxsize=10_000)
def _ends_in_emoji(tail: str) -> bool | None:
    """None where more than the tail matters: many an emoji ends in a selector, which is no emoji itself."""
    last_two = without_marks(tail).rstrip()[-2:]
    closes = any(map(emoji_test(), last_two))
    return closes if closes or len(last_two) > 1 else None


def _bare(sentence: str) -> str:
    return without_marks(sentence).strip()
