"""The part of speech of a text's first word, as the averaged perceptron of NLTK tags it.

The tagger reads from left to right and decides each word before the next, so the first tag depends on the
first three words alone, and only the weights for those are kept here.
"""

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "tagger"
_YEAR_DIGITS = 4
# Tags that the model knows without a weight: they win where all others are below zero.
_UNWEIGHTED = ("#", "(", ")", ",", ".", ":", "WP$")


@dataclass(frozen=True, slots=True)
class _Model:
    known: Mapping[str, str]
    tags: frozenset[str]
    weights: Mapping[str, Mapping[str, float]]


def first_tag(words: Sequence[str]) -> str | None:
    """The Penn Treebank tag of the first word, judged with the two that follow it."""
    if not words:
        return None
    model = _model()
    return model.known.get(words[0]) or _predicted(model, words)


def _predicted(model: _Model, words: Sequence[str]) -> str:
    scores = dict.fromkeys(model.tags, 0.0)
    for feature in _features(words):
        for tag, weight in model.weights.get(feature, {}).items():
            scores[tag] += weight
    return max(scores, key=lambda tag: (scores[tag], tag))


def _features(words: Sequence[str]) -> Iterator[str]:
    """In the official order: the weights are added up in it, and rounding depends on the order."""
    word = words[0]
    normal, following, second = [*map(_normal, words[:3]), "-END-", "-END2-"][:3]
    yield "bias"
    yield f"i suffix {word[-3:]}"
    yield f"i pref1 {word[0]}"
    yield "i-1 tag -START-"
    yield "i-2 tag -START2-"
    yield "i tag+i-2 tag -START- -START2-"
    yield f"i word {normal}"
    yield f"i-1 tag+i word -START- {normal}"
    yield "i-1 word -START2-"
    yield "i-1 suffix T2-"
    yield "i-2 word -START-"
    yield f"i+1 word {following}"
    yield f"i+1 suffix {following[-3:]}"
    yield f"i+2 word {second}"


def _normal(word: str) -> str:
    if "-" in word and not word.startswith("-"):
        return "!HYPHEN"
    if word.isdigit() and len(word) == _YEAR_DIGITS:
        return "!YEAR"
    return "!DIGITS" if word[0].isdigit() else word.lower()


@cache
def _model() -> _Model:
    pairs = (line.split("\t") for line in _lines((_FOLDER / "known_words.tab").read_bytes()))
    known = {word: tag for word, tag in pairs}  # noqa: C416 - tells the type checker that these are pairs
    packed = gzip.decompress((_FOLDER / "weights.tab.gz").read_bytes())
    weights: dict[str, Mapping[str, float]] = {}
    for line in _lines(packed):
        feature, listed = line.split("\t")
        entries = listed.split(" ")
        weights[feature] = dict(zip(entries[::2], map(float, entries[1::2]), strict=True))
    weighted = (tag for entries in weights.values() for tag in entries)
    return _Model(known, frozenset((*weighted, *_UNWEIGHTED)), weights)


def _lines(content: bytes) -> list[str]:
    return content.decode().split("\n")[:-1]
