"""English sentences as the Punkt method of Kiss and Strunk (2006) finds them, with NLTK's parameters.

Every `.`, `?` or `!` that could end a sentence is judged by the tokens around it: abbreviations, initials and
numbers need evidence that the next word opens a sentence.
"""

import re
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from assay.engine.graders.english.characters import SOLID, SPACE, is_word_character

T = TypeVar("T")

_FOLDER = Path(__file__).parent / "punkt"
_SHORT = 200

_PUNCTUATION = r"[)\";}\]*:@'({\[‘’“”«»?!]"  # noqa: RUF001 - the curly quotes are meant
_RUN = rf"(?:-{{2,}}|\.{{2,}}|(?:\.{SPACE}){{2,}}\.)"
_TOKEN = re.compile(
    rf"{_RUN}"
    rf"|(?=[^(\"`{{\[:;&#*@)}}\]\-,]){SOLID}+?"
    rf"(?={SPACE}|\Z|{_PUNCTUATION}|{_RUN}|,(?=\Z|{SPACE}|{_PUNCTUATION}|{_RUN}))"
    rf"|{SOLID}"
)
_POSSIBLE_END = re.compile(rf"[.?!](?=(?P<context>{_PUNCTUATION}|{SPACE}++(?P<next>{SOLID}+)))")
_CLOSERS = re.compile(rf"[\"')\]}}‘’“”«»]+?(?:{SPACE}+|(?=--)|$)", re.MULTILINE)  # noqa: RUF001
_ONLY_ASCII_SPACES_PART_TOKENS = str.maketrans(dict.fromkeys(string.whitespace, " "))
_ELLIPSIS = re.compile(r"\.{2,}")
_NUMBER = re.compile(r"-?[.,]?\d[\d,.\-]*")
_NUMBER_TYPE = "##number##"

# Bits of the orthographic context: where a word was seen, in which case.
_UPPER_INSIDE = 1 << 2
_UPPER = 1 << 1 | _UPPER_INSIDE | 1 << 3
_LOWER_OPENING = 1 << 4
_LOWER = _LOWER_OPENING | 1 << 5 | 1 << 6


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Remember results for short texts: the loose variants of an answer have nearly all in common."""
    known = lru_cache(maxsize=2**16)(function)
    return lambda text: known(text) if len(text) <= _SHORT else function(text)


@dataclass(frozen=True, slots=True)
class _Parameters:
    abbreviations: frozenset[str]
    collocations: frozenset[tuple[str, str]]
    openers: frozenset[str]
    casing: Mapping[str, int]


def sentences(text: str) -> Iterator[str]:
    """One by one, so that a check that has seen enough need not find the rest."""
    return (text[start:stop] for start, stop in _realigned(text, _spans(text)))


@cache
def _english() -> _Parameters:
    casing = (line.split("\t") for line in _lines("ortho_context.tab"))
    collocations = (line.split("\t") for line in _lines("collocations.tab"))
    return _Parameters(
        abbreviations=frozenset(_lines("abbrev_types.txt")),
        collocations=frozenset((first, second) for first, second in collocations),
        openers=frozenset(_lines("sent_starters.txt")),
        casing={word: int(bits) for word, bits in casing},
    )


def _lines(name: str) -> list[str]:
    return (_FOLDER / name).read_text(encoding="utf-8").split("\n")


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end, context in _possible_ends(text):
        if _has_sentence_end(context):
            yield start, end.end()
            start = end.start("next") if end["next"] else end.end()
    yield start, len(text.rstrip())


def _possible_ends(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each possible end with its token and the one after; of several ends in one token only the last."""
    start = stop = 0
    previous: re.Match[str] | None = None
    spaced = text.translate(_ONLY_ASCII_SPACES_PART_TOKENS)
    for end in _POSSIBLE_END.finditer(text):
        space = spaced.rfind(" ", stop, end.start())
        token_start = space + 1 if space > stop else start
        if previous and stop <= token_start:
            yield previous, text[start : previous.end("context")]
        previous, start, stop = end, token_start, end.start()
    if previous:
        yield previous, text[start : previous.end("context")]


def _realigned(text: str, spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Give closing quotes and brackets back to the sentence they close."""
    given_back = 0
    following = next(spans, None)
    while following:
        (span_start, stop), following = following, next(spans, None)
        start = span_start + given_back
        closers = _CLOSERS.match(text, *following) if following else None
        given_back = len(closers.group()) if closers else 0
        if closers:
            yield start, closers.start() + len(closers.group().rstrip())
        elif start < stop:
            yield start, stop


@remembered
def _has_sentence_end(context: str) -> bool:
    tokens = (token for line in context.split("\n") if line.strip() for token in _TOKEN.findall(line))
    return any(_ends_sentence(token, following) for token, following in pairwise(tokens))


def _ends_sentence(token: str, following: str) -> bool:
    if not token.endswith("."):
        return token in ("?", "!")
    english = _english()
    word, next_type = _type(token, period=False), _type(following, period=not _ends_alone(following))
    if (word, next_type) in english.collocations:
        return False
    is_initial = len(token) == 2 and is_word_character(token[0]) and not token[0].isdecimal()  # noqa: PLR2004
    opens = _opens_sentence(following, next_type)
    is_abbreviated = _is_abbreviation(token) or bool(_ELLIPSIS.fullmatch(token))
    if is_abbreviated and not is_initial:
        return opens is True or (following[0].isupper() and next_type in english.openers)
    if is_initial and opens is None and following[0].isupper():
        return bool(english.casing.get(next_type, 0) & _LOWER) and _ends_alone(token)
    if opens is False and (is_initial or word == _NUMBER_TYPE):
        return False
    return _ends_alone(token)


def _ends_alone(token: str) -> bool:
    """Whether the token ends a sentence judged without its neighbour."""
    if token in (".", "?", "!"):
        return True
    return token.endswith(".") and not token.endswith("..") and not _is_abbreviation(token)


def _is_abbreviation(token: str) -> bool:
    word = token[:-1].lower()
    abbreviations = _english().abbreviations
    return word in abbreviations or word.rpartition("-")[2] in abbreviations


def _type(token: str, *, period: bool) -> str:
    word = token.lower()
    if _NUMBER.fullmatch(word):
        return _NUMBER_TYPE
    return word if period or word == "." else word.removesuffix(".")


def _opens_sentence(token: str, kind: str) -> bool | None:
    """What the known uses of the word say; None where they leave it open."""
    if token in (";", ":", ",", ".", "!", "?"):
        return False
    seen = _english().casing.get(kind, 0)
    if token[0].isupper() and seen & _LOWER and not seen & _UPPER_INSIDE:
        return True
    if token[0].islower() and (seen & _UPPER or not seen & _LOWER_OPENING):
        return False
    return None
