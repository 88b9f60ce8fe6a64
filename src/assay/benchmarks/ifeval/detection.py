# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (langdetect has no annotations)
"""The language of a text as langdetect finds it, seeded, with the languages in a fixed order.

The profiles, the clean-up of single characters and all numbers are langdetect's. The steps around them are
written anew: of a long text only the beginning is cleaned that langdetect would look at in the end, and each
kind of n-gram is weighed once a trial. The arithmetic is the same step by step, and so is the result.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import mul
from pathlib import Path

from assay.domain.errors import MissingExtraError

_READ_CHARACTERS = 10_000
_LONGEST_URL, _LONGEST_MAIL = 8 + 2_076, 64 + 1 + 255 + 255
_TRIALS, _MOST_DRAWS, _DRAWS_PER_LOOK = 7, 1_000, 5
_ALPHA, _ALPHA_SPREAD, _ALPHA_SCALE = 0.5, 0.05, 10_000
_SURE, _LEAST = 0.99999, 0.1
_SPACES = re.compile(" {2,}")
_BASIC_LETTERS = re.compile("[A-z]")  # langdetect counts what stands between Z and a as well
# It means to leave out the block of additional Latin letters, but compares a number with the block's name.
_BEYOND_LATIN = re.compile("[\u0300-\U0010ffff]")


class _Normal(dict[str, str]):
    """A character as profiles have it; kept, for finding its Unicode block is slow."""

    def __init__(self, normalize: Callable[[str], str]) -> None:
        super().__init__()
        self._normalize = normalize

    def __missing__(self, character: str) -> str:
        self[character] = self._normalize(character)
        return self[character]


@dataclass(frozen=True, slots=True)
class _Tools:
    """What langdetect gives."""

    languages: Sequence[str]
    profiles: Mapping[str, Sequence[float]]
    url: re.Pattern[str]
    mail: re.Pattern[str]
    compose: Callable[[str], str]
    normal: _Normal


@cache
def detector() -> Callable[[str], str | None]:
    """A function from a text to its language; None where it has nothing to judge by."""
    try:
        from langdetect import DetectorFactory  # noqa: PLC0415 - optional dependency
        from langdetect.detector import Detector  # noqa: PLC0415 - optional dependency
        from langdetect.detector_factory import PROFILES_DIRECTORY  # noqa: PLC0415 - optional dependency
        from langdetect.utils.ngram import NGram  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the language check of IFEval", "ifeval") from error
    factory = DetectorFactory()
    profiles = sorted(Path(PROFILES_DIRECTORY).iterdir())
    factory.load_json_profile([profile.read_text(encoding="utf-8") for profile in profiles])
    tools = _Tools(
        factory.langlist,
        factory.word_lang_prob_map,
        Detector.URL_RE,
        Detector.MAIL_RE,
        NGram.normalize_vi,
        _Normal(NGram.normalize),
    )

    # The variants of an answer mostly begin alike.
    @lru_cache(maxsize=16)
    def judged(normal: str) -> str | None:
        return _judged(normal, tools)

    return lambda text: judged(_normal(text, tools))


def _normal(text: str, tools: _Tools) -> str:
    read = _SPACES.sub(" ", _cleaned(text, tools)[:_READ_CHARACTERS])
    if len(_BASIC_LETTERS.findall(read)) * 2 < len(_BEYOND_LATIN.findall(read)):
        read = _BASIC_LETTERS.sub("", read)
    return _SPACES.sub(" ", "".join(map(tools.normal.__getitem__, read))).lstrip(" ")


def _cleaned(text: str, tools: _Tools) -> str:
    """At least the characters that count, without addresses: as if all of the text were cleaned."""
    size = 2 * _READ_CHARACTERS
    while True:
        is_all = size >= len(text)
        cleaned = text[:size]
        if "http" in cleaned:
            cleaned = tools.url.sub(" ", cleaned)
        # What a cut may have changed is left out: an address that it parted, and what was found instead.
        cleaned = cleaned if is_all else cleaned[:-_LONGEST_URL]
        if "@" in cleaned:
            cleaned = tools.mail.sub(" ", cleaned)
        cleaned = tools.compose(cleaned if is_all else cleaned[:-_LONGEST_MAIL])
        if is_all or len(cleaned) > _READ_CHARACTERS:
            return cleaned
        size *= 4


def _judged(normal: str, tools: _Tools) -> str | None:
    known = [gram for gram in _grams(normal) if gram in tools.profiles]
    if not known:
        return None
    drawing = random.Random(0)  # noqa: S311 - langdetect's own draws, seeded
    trials = [_trial(known, tools, drawing) for _ in range(_TRIALS)]
    totals = [0.0] * len(tools.languages)
    for trial in trials:
        totals = [total + share / _TRIALS for total, share in zip(totals, trial, strict=True)]
    most = max(totals)
    return tools.languages[totals.index(most)] if most > _LEAST else "unknown"


def _trial(known: list[str], tools: _Tools, drawing: random.Random) -> list[float]:
    count = len(tools.languages)
    shares = [1.0 / count] * count
    weight = (_ALPHA + drawing.gauss(0.0, 1.0) * _ALPHA_SPREAD) / _ALPHA_SCALE
    factors: dict[str, list[float]] = {}
    draws = 0
    while True:
        gram = drawing.choice(known)
        if gram not in factors:
            factors[gram] = [weight + share for share in tools.profiles[gram]]
        shares = list(map(mul, shares, factors[gram]))
        if draws % _DRAWS_PER_LOOK == 0:
            total = sum(shares)
            shares = [share / total for share in shares]
            if max(shares) > _SURE or draws >= _MOST_DRAWS:
                return shares
        draws += 1


def _grams(normal: str) -> Iterator[str]:
    """One to three characters, from the blank before each word to the one after; not inside capitals."""
    words = normal.split(" ")
    for number, word in enumerate(words, start=1):
        padded = f" {word} " if number < len(words) else f" {word}"
        for end in range(2, len(padded) + 1 if word else 0):
            last = padded[end - 1]
            if last.isupper() and padded[end - 2].isupper():
                continue
            if last != " ":
                yield last
            yield padded[end - 2 : end]
            if end > 2:  # noqa: PLR2004 - three characters from here on
                yield padded[end - 3 : end]
