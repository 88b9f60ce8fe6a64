"""Instructions whose subject is given: lists of countries, capitals, dates, numbers and questions."""

import re
import string
import unicodedata
from functools import lru_cache
from itertools import islice, pairwise

from assay.benchmarks.ifbench.marks import MARKS_AND_SPACE, bare_words
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.instructions.arguments import Arguments

# ruff: noqa: SIM905 - lists of words read best as text
_DIGITS = re.compile(r"\d+")
_MULTIPLES = [str(number) for number in range(14, 51, 7)]
_QUESTION_LABEL = re.compile(r"Question \d+[.|):;]?")
_OPTION = re.compile(r"[A-Ea-e][.|)]\s*\w")
_QUESTIONS, _OPTIONS = 4, 5
_LEAST_COUNTRIES = 52
_CAPITALS = (
    "Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin Amsterdam "
    "Warsaw London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau Bern "
    "Ljubljana Zagreb"
).split()
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_NAPOLEON_LIVED = range(1769, 1822)
_MOST_DAYS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
_MONTHS = 12


def multiples(response: str, _arguments: Arguments) -> bool:
    return _DIGITS.findall(response) == _MULTIPLES


def mcq_count_length(response: str, _arguments: Arguments) -> bool:
    # Officially a response of one character passes this first test whatever it is; it fails the next.
    if not response.startswith("Question"):
        return False
    questions = [part.strip() for part in _QUESTION_LABEL.split(response) if part.strip()]
    if len(questions) != _QUESTIONS:
        return False
    lengths = [_question_length(question) for question in questions]
    return -1 not in lengths and all(length < following for length, following in pairwise(lengths))


def _question_length(question: str) -> int:
    """The length of the text before the options; -1 unless there are five options."""
    lines = [line.strip() for line in question.split("\n")]
    options = [index for index, line in enumerate(lines) if _OPTION.match(line)]
    if len(options) != _OPTIONS:
        return -1
    return len(" ".join(lines[: options[0]]).strip())


def reverse_newline(response: str, _arguments: Arguments) -> bool:
    lines = [bare for line in response.split("\n") if (bare := line.strip(MARKS_AND_SPACE))]
    start = next((index for index, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    if len(lines) - start < _LEAST_COUNTRIES:
        return False
    countries = map(plain_letters, lines[start:])
    return all(country >= following for country, following in pairwise(countries))


def word_reverse(response: str, _arguments: Arguments) -> bool:
    return "bald eagle" in " ".join(reversed(bare_words(response.lower())))


def character_reverse(response: str, _arguments: Arguments) -> bool:
    return "elgae dlab" in response.lower()


def sentence_alphabet(response: str, _arguments: Arguments) -> bool:
    letters = list(string.ascii_lowercase)
    parts = islice(sentences(response), len(letters) + 1)
    return [sentence.strip()[:1].lower()[:1] for sentence in parts] == letters


def european_capitals_sort(response: str, _arguments: Arguments) -> bool:
    named = [city.strip() for city in plain_letters(response).split(",")]
    return [city for city in named if city] == _CAPITALS


def plain_letters(text: str) -> str:
    """The text without accents, and without whatever has no ASCII letter: "São" becomes "Sao"."""
    return text if text.isascii() else "".join(map(_plain_letter, text))


# Character by character: NFKD sorts the accents of one letter, which takes quadratic time for a long row.
@lru_cache(maxsize=4096)
def _plain_letter(character: str) -> str:
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode("ascii")


def date_format_list(response: str, _arguments: Arguments) -> bool:
    return all(_is_date(date.strip()) for date in response.strip().split(","))


def _is_date(text: str) -> bool:
    # Officially a month 00 passes, with any day.
    date = _DATE.fullmatch(text)
    if date is None:
        return False
    year, month, day = map(int, date.groups())
    if year not in _NAPOLEON_LIVED or month > _MONTHS:
        return False
    return month == 0 or day <= _MOST_DAYS.get(month, 31)
