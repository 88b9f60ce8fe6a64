"""English sentences as the Punkt method of Kiss and Strunk (2006) finds them, with NLTK's parameters.

Every `.`, `?` or `!` that could end a sentence is judged by the tokens around it: abbreviations, initials and
numbers need evidence that the next word opens a sentence.
"""

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import TypeAlias

from assay.engine.graders.english.characters import SOLID, SPACE, is_word_character

# In shorter texts sentences are found faster one by one than all at once.
FEW_CHARACTERS = 5_000
_FOLDER = Path(__file__).parent / "punkt"

_PUNCTUATION = r"[)\";}\]*:@'({\[‘’“”«»?!]"  # noqa: RUF001 - the curly quotes are meant
_RUN = rf"(?:-{{2,}}|\.{{2,}}|(?:\.{SPACE}){{2,}}\.)"
_TOKEN = re.compile(
    rf"{_RUN}"
    rf"|(?=[^(\"`{{\[:;&#*@)}}\]\-,]){SOLID}+?"
    rf"(?={SPACE}|\Z|{_PUNCTUATION}|{_RUN}|,(?=\Z|{SPACE}|{_PUNCTUATION}|{_RUN}))"
    rf"|{SOLID}"
)
_CONTEXT = rf"{_PUNCTUATION}|{SPACE}++({SOLID}+)"
# The first possible end in a token, and the last if there are several, where plain spaces part tokens.
_POSSIBLE_ENDS = re.compile(
    # The first look is at one character alone, for there most marks fail.
    rf"[.?!](?=[{_PUNCTUATION[1:-1]}\s])(?=({_CONTEXT}))(?:[^ ]*([.?!])(?=({_CONTEXT})))?"
)
# A token that ends in a period, and another: so are most contexts, and long ones are slow to cut into tokens.
_PLAIN_CONTEXT = re.compile(r"((?:[A-Za-z]++\.)++)[ \n]++([A-Za-z]++)")
_CLOSERS = re.compile(rf"[\"')\]}}‘’“”«»]+?(?:{SPACE}+|(?=--)|$)", re.MULTILINE)  # noqa: RUF001
_OTHER_SPACES = string.whitespace.replace(" ", "")
_END_MARKS = ".?!"
_ELLIPSIS = re.compile(r"\.{2,}")
_NUMBER = re.compile(r"-?[.,]?\d[\d,.\-]*")
_NUMBER_TYPE = "##number##"

# Bits of the orthographic context: where a word was seen, in which case.
_UPPER_INSIDE = 1 << 2
_UPPER = 1 << 1 | _UPPER_INSIDE | 1 << 3
_LOWER_OPENING = 1 << 4
_LOWER = _LOWER_OPENING | 1 << 5 | 1 << 6


@dataclass(frozen=True, slots=True)
class _Parameters:
    abbreviations: frozenset[str]
    collocations: frozenset[tuple[str, str]]
    openers: frozenset[str]
    casing: Mapping[str, int]


Judged: TypeAlias = dict[str, bool]


def sentences(text: str) -> list[str]:
    return list(sentence_stream(text, {}))


def sentence_stream(text: str, judged: Judged) -> Iterator[str]:
    """The sentences one by one; `judged` keeps what was decided, for other texts with the same passages."""
    return (text[start:stop] for start, stop in _realigned(text, _spans(text, judged)))


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where they start and stop."""
    return _realigned(text, _spans(text, {}))


@cache
def parameters() -> _Parameters:
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


def _spans(text: str, judged: Judged) -> Iterator[tuple[int, int]]:
    start = 0
    for stop, following in _ends(text, judged):
        yield start, stop
        start = following if following > 0 else stop
    yield start, len(text.rstrip())


def _ends(text: str, judged: Judged) -> Iterator[tuple[int, int]]:
    """Where each sentence but the last stops, and where the word after it starts if that is not at once."""
    token = stop = 0
    place = min((found for mark in ".?!" if (found := text.find(mark)) >= 0), default=len(text))
    spaced = _with_plain_spaces(text)
    while end := _POSSIBLE_ENDS.search(spaced, place):
        space = spaced.rfind(" ", stop, end.start())
        token = space + 1 if space > stop else token
        place, stop = end.end(), end.end() - 1
        for mark, following, context_end in _marks(end, token):
            context = text[token:context_end]
            if context not in judged:
                judged[context] = has_sentence_end(context)
            if judged[context]:
                yield mark + 1, following


def _marks(end: re.Match[str], token: int) -> Iterator[tuple[int, int, int]]:
    """Of several possible ends in a token the last counts, and the first if the token starts with it."""
    first, last = end.start(), end.start(3)
    if last < 0 or first == token:
        yield first, end.start(2), end.end(1)
    if last >= 0:
        yield last, end.start(5), end.end(4)


def _with_plain_spaces(text: str) -> str:
    """Only ASCII white space parts tokens."""
    for space in _OTHER_SPACES:
        text = text.replace(space, " ")
    return text


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


def has_sentence_end(context: str) -> bool:
    if plain := _PLAIN_CONTEXT.fullmatch(context):
        return _ends_sentence(*plain.groups())
    lines = (line for line in context.split("\n") if line.strip())
    tokens: list[str] = list(chain.from_iterable(map(_TOKEN.findall, lines)))
    return any(
        token[-1] in _END_MARKS and _ends_sentence(token, following) for token, following in pairwise(tokens)
    )


def _ends_sentence(token: str, following: str) -> bool:
    if not token.endswith("."):
        return token in ("?", "!")
    english = parameters()
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
    abbreviations = parameters().abbreviations
    return word in abbreviations or word.rpartition("-")[2] in abbreviations


def _type(token: str, *, period: bool) -> str:
    word = token.lower()
    if _NUMBER.fullmatch(word):
        return _NUMBER_TYPE
    return word if period or word == "." else word.removesuffix(".")


def seen_as(kind: str) -> int:
    """A number for the cases that a word is known in, as far as they are asked for."""
    seen = parameters().casing.get(kind, 0)
    return sum(
        bool(seen & bits) << place
        for place, bits in enumerate((_UPPER, _UPPER_INSIDE, _LOWER, _LOWER_OPENING))
    )


def _opens_sentence(token: str, kind: str) -> bool | None:
    """What the known uses of the word say; None where they leave it open."""
    if token in (";", ":", ",", ".", "!", "?"):
        return False
    seen = parameters().casing.get(kind, 0)
    if token[0].isupper() and seen & _LOWER and not seen & _UPPER_INSIDE:
        return True
    if token[0].islower() and (seen & _UPPER or not seen & _LOWER_OPENING):
        return False
    return None
