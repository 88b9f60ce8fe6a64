import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice, pairwise, zip_longest
from typing import NamedTuple

import numpy as np

from assay.benchmarks.ifbench.marks import stripped_with_spaces, without_marks
from assay.benchmarks.ifbench.plain_letters import plain_letters
from assay.engine.graders.english.characters import blocks
from assay.engine.graders.english.code_points import (
    Runs,
    are_digits,
    codes_of,
    runs_of,
    text_of,
)
from assay.engine.graders.english.spelling import are_full, spelling
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import lower_count

# ruff: noqa: SIM905 - lists of words read best as text
_DIGITS = re.compile(r"\d+")
_EAGLE = re.compile(r"(?<!\S)eagle\S*+\s++\S*bald(?!\S)")
_MULTIPLES = [str(number) for number in range(14, 51, 7)]
_LABEL = r"Question \d+[.|):;]?"
# Labels with nothing between them as one.
_QUESTION_LABELS = re.compile(rf"{_LABEL}(?:\s*+{_LABEL})*+")
_OPTION = re.compile(r"^[^\S\n]*+[A-Ea-e][.|)][^\S\n]*\w", re.MULTILINE)
_QUESTIONS, _OPTIONS = 4, 5
_LEAST_COUNTRIES = 52
_READ_CHARACTERS = 10_000
_PACKS = 4
_NEW_LINE = re.compile("\n")
_CAPITALS = (
    "Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin Amsterdam "
    "Warsaw London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau Bern "
    "Ljubljana Zagreb"
).split()
_LONGEST_CAPITAL = max(map(len, _CAPITALS))
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_NAPOLEON_LIVED = range(1769, 1822)
_MOST_DAYS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
_MONTHS = 12


def multiples(answer: Answer, _arguments: Arguments) -> bool:
    return list(chain.from_iterable(answer.facts(_first_numbers, len(_MULTIPLES) + 1))) == _MULTIPLES


def mcq_count_length(answer: Answer, _arguments: Arguments) -> bool:
    # Officially a response of one character passes this first test whatever it is; it fails the next.
    if not answer.text.startswith("Question"):
        return False
    parts = _QUESTION_LABELS.split(answer.text, _QUESTIONS + 1)
    questions = [part.strip() for part in parts if part.strip()]
    if len(questions) != _QUESTIONS:
        return False
    lengths = [_question_length(question) for question in questions]
    return -1 not in lengths and all(length < following for length, following in pairwise(lengths))


def reverse_newline(answer: Answer, _arguments: Arguments) -> bool:
    found: _Countries | None = None
    for line in answer.lines:
        countries = line.fact(_countries, found is not None)
        found = found.followed_by(countries) if found and countries else found or countries
    return found is not None and found.are_in_order and found.lines >= _LEAST_COUNTRIES


def word_reverse(answer: Answer, _arguments: Arguments) -> bool:
    found = [words for words in answer.facts_whatever_stars(_eagle) if words]
    return any(words.has_eagle for words in found) or any(
        _is_eagle(words.last, following.first) for words, following in pairwise(found)
    )


def character_reverse(answer: Answer, _arguments: Arguments) -> bool:
    return any(answer.facts(lower_count, "elgae dlab"))


def sentence_alphabet(answer: Answer, _arguments: Arguments) -> bool:
    letters = list("abcdefghijklmnopqrstuvwxyz")
    if answer.sentence_count(len(letters) + 1) != len(letters):
        return False
    firsts = [sentence.strip()[:1].lower()[:1] for sentence in answer.sentences()]
    return firsts == letters


def european_capitals_sort(answer: Answer, _arguments: Arguments) -> bool:
    named = _plain_entries(answer.text)
    return all(city == capital for city, capital in zip_longest(named, _CAPITALS))


def date_format_list(answer: Answer, _arguments: Arguments) -> bool:
    text = answer.text.strip()
    # Where the first or the last is none, the others need not be read.
    ends = (text.partition(",")[0], text.rpartition(",")[2])
    return all(map(_is_date, ends)) and all(
        map(_is_date, set(map(str.strip, text.split(","))) - _usual_dates())
    )


class _Eagle(NamedTuple):
    has_eagle: bool
    first: str
    last: str


def _eagle(text: str) -> _Eagle | None:
    bare = without_marks(text.lower())
    first, last = bare.split(None, 1)[:1], bare.rsplit(None, 1)[-1:]
    return _Eagle(bool(_EAGLE.search(bare)), first[0], last[0]) if first else None


def _is_eagle(word: str, following: str) -> bool:
    return word.startswith("eagle") and following.endswith("bald")


class _Countries(NamedTuple):
    """How many are named, one on each line, whether backwards through the alphabet, and the outer ones."""

    lines: int
    are_in_order: bool
    first: str
    last: str

    def followed_by(self, others: "_Countries") -> "_Countries":
        are_in_order = self.are_in_order and others.are_in_order and self.last >= others.first
        return _Countries(self.lines + others.lines, are_in_order, self.first, others.last)


def _countries(text: str, is_later: bool) -> _Countries | None:  # noqa: FBT001 - facts are found by place
    """From the line with "Zimbabwe" on, or of all lines where it was named before."""
    start = 0 if is_later else text.find("Zimbabwe")
    if start < 0:
        return None
    found: _Countries | None = None
    for block in blocks(text[text.rfind("\n", 0, start) + 1 :], _NEW_LINE):
        countries = _countries_in(block)
        found = found.followed_by(countries) if found and countries else found or countries
        if found and not found.are_in_order:
            break
    return found


def _countries_in(text: str) -> _Countries | None:
    plain = _plain_lines(text)
    if plain is None:
        return None
    codes = codes_of(plain)
    breaks = np.flatnonzero(codes == ord("\n"))
    lines = Runs(np.append(0, breaks + 1), np.append(breaks, len(codes)))
    outer = plain.partition("\n")[0], plain.rpartition("\n")[2]
    return _Countries(len(lines.starts), _are_in_order(plain, lines), *outer)


def _plain_lines(text: str) -> str | None:
    """The lines that are more than marks, without those at their ends, in plain letters."""
    codes = codes_of(text)
    lines = runs_of(codes != ord("\n"))
    stripped = stripped_with_spaces(codes, lines)
    filled = np.flatnonzero(stripped.lengths)
    if not filled.size:
        return None
    edges = np.zeros(len(codes) + 1, np.bool_)
    edges[stripped.starts[filled]] = edges[stripped.ends[filled]] = True
    are_kept = np.logical_xor.accumulate(edges)[:-1]
    # One break before each line but the first.
    are_kept[lines.starts[filled[1:]] - 1] = True
    return plain_letters(text_of(codes[np.flatnonzero(are_kept)]))


def _are_in_order(plain: str, lines: Runs) -> bool:
    """Whether no line is less than the next: compares the first characters of all, then the next ones."""
    left = np.arange(len(lines.starts) - 1)
    spelt = spelling(codes_of(plain), lines)
    for number in range(_PACKS if "\0" not in plain else 0):
        packs, following = spelt.pack(number, left), spelt.pack(number, left + 1)
        if (packs.byteswap() < following.byteswap()).any():
            return False
        left = left[np.flatnonzero((packs == following) & are_full(packs))]
    texts = plain.split("\n") if left.size else []
    return all(texts[number] >= texts[number + 1] for number in left.tolist())


def _first_numbers(text: str, most: int) -> list[str]:
    found: list[str] = []
    for block in blocks(text):
        if are_digits(codes_of(block)).any():
            found += [number.group() for number in islice(_DIGITS.finditer(block), most)]
        if len(found) >= most:
            break
    return found[:most]


def _plain_entries(text: str) -> Iterator[str]:
    """What stands between commas, in plain letters; what is longer than a capital, as far as it was read."""
    rest = ""
    for start in range(0, len(text), _READ_CHARACTERS):
        rest += plain_letters(text[start : start + _READ_CHARACTERS])
        if not rest.replace(",", "").strip():
            rest = ""
            continue
        end = rest.rfind(",") + 1
        yield from filter(None, map(str.strip, rest[:end].split(",")))
        # No capital has a blank in it: one tells as much as many.
        rest = " ".join(rest[end:].split()) + (" " if rest[-1:].isspace() else "")
        if len(rest.strip()) > _LONGEST_CAPITAL:
            break
    yield from filter(None, map(str.strip, rest.split(",")))


def _question_length(question: str) -> int:
    """Of the text before the options; -1 unless there are five."""
    options = list(islice(_OPTION.finditer(question), _OPTIONS + 1))
    if len(options) != _OPTIONS:
        return -1
    lines = question[: options[0].start()].split("\n")[:-1]
    return len(" ".join(map(str.strip, lines)).strip())


@cache
def _usual_dates() -> frozenset[str]:
    days = [f"{month:02}-{day:02}" for month in range(1, _MONTHS + 1) for day in range(_most_days(month) + 1)]
    return frozenset(f"{year}-{day}" for year in _NAPOLEON_LIVED for day in days)


def _most_days(month: int) -> int:
    return _MOST_DAYS.get(month, 31)


def _is_date(text: str) -> bool:
    # Officially a month 00 passes, with any day.
    date = _DATE.fullmatch(text.strip())
    if date is None:
        return False
    year, month, day = map(int, date.groups())
    if year not in _NAPOLEON_LIVED or month > _MONTHS:
        return False
    return month == 0 or day <= _most_days(month)
