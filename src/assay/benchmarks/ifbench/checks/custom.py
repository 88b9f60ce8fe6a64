import re
from itertools import pairwise

from assay.benchmarks.ifbench.marks import MARKS_AND_SPACE, bare_words
from assay.benchmarks.ifbench.plain_letters import plain_letters
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


def reverse_newline(response: str, _arguments: Arguments) -> bool:
    lines = [bare for line in response.split("\n") if (bare := line.strip(MARKS_AND_SPACE))]
    start = next((index for index, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    countries = [plain_letters(line) for line in lines[start:]]
    return len(countries) >= _LEAST_COUNTRIES and countries == sorted(countries, reverse=True)


def word_reverse(response: str, _arguments: Arguments) -> bool:
    return "bald eagle" in " ".join(reversed(bare_words(response.lower())))


def character_reverse(response: str, _arguments: Arguments) -> bool:
    return "elgae dlab" in response.lower()


def sentence_alphabet(response: str, _arguments: Arguments) -> bool:
    parts = sentences(response)
    if len(parts) != len("abcdefghijklmnopqrstuvwxyz"):
        return False
    return all(
        sentence.strip().lower()[:1] == chr(ord("a") + number) for number, sentence in enumerate(parts)
    )


def european_capitals_sort(response: str, _arguments: Arguments) -> bool:
    named = [city.strip() for city in plain_letters(response).split(",")]
    return [city for city in named if city] == _CAPITALS


def date_format_list(response: str, _arguments: Arguments) -> bool:
    return all(_is_date(date.strip()) for date in response.strip().split(","))


def _question_length(question: str) -> int:
    """Of the text before the options; -1 unless there are five."""
    lines = [line.strip() for line in question.split("\n")]
    options = [index for index, line in enumerate(lines) if _OPTION.match(line)]
    if len(options) != _OPTIONS:
        return -1
    return len(" ".join(lines[: options[0]]).strip())


def _is_date(text: str) -> bool:
    # Officially a month 00 passes, with any day.
    date = _DATE.fullmatch(text)
    if date is None:
        return False
    year, month, day = map(int, date.groups())
    if year not in _NAPOLEON_LIVED or month > _MONTHS:
        return False
    return month == 0 or day <= _MOST_DAYS.get(month, 31)
