import re
from collections.abc import Iterator
from itertools import chain, islice, pairwise, zip_longest
from operator import ge
from typing import NamedTuple

from assay.benchmarks.ifbench.marks import MARKS_AND_SPACE, without_marks
from assay.benchmarks.ifbench.plain_letters import plain_letters
from assay.engine.graders.english.repetition import condensed
from assay.engine.graders.english.sentences import sentence_stream
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import lower_count

# ruff: noqa: SIM905 - lists of words read best as text
_DIGITS = re.compile(r"\d+")
_MULTIPLES = [str(number) for number in range(14, 51, 7)]
_LABEL = r"Question \d+[.|):;]?"
# Labels with nothing between them as one.
_QUESTION_LABELS = re.compile(rf"{_LABEL}(?:\s*+{_LABEL})*+")
_OPTION = re.compile(r"^[^\S\n]*+[A-Ea-e][.|)][^\S\n]*\w", re.MULTILINE)
_QUESTIONS, _OPTIONS = 4, 5
_LEAST_COUNTRIES = 52
_READ_CHARACTERS = 10_000
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
    if "Zimbabwe" not in answer.text:
        return False
    lines = list(chain.from_iterable(answer.facts(_bare_lines)))
    start = next((index for index, (line, _) in enumerate(lines) if "Zimbabwe" in line), len(lines))
    countries = [plain for _, plain in lines[start:]]
    return len(countries) >= _LEAST_COUNTRIES and all(map(ge, countries, countries[1:]))


def word_reverse(answer: Answer, _arguments: Arguments) -> bool:
    found = [words for words in answer.facts_whatever_stars(_eagle) if words]
    return any(words.has_eagle for words in found) or any(
        _is_eagle(words.last, following.first) for words, following in pairwise(found)
    )


def character_reverse(answer: Answer, _arguments: Arguments) -> bool:
    return any(answer.facts(lower_count, "elgae dlab"))


def sentence_alphabet(answer: Answer, _arguments: Arguments) -> bool:
    letters = list("abcdefghijklmnopqrstuvwxyz")
    sentences = sentence_stream(condensed(answer.text), {})
    for sentence, letter in zip_longest(islice(sentences, len(letters) + 1), letters):
        if not sentence or not letter or sentence.strip()[:1].lower()[:1] != letter:
            return False
    return True


def european_capitals_sort(answer: Answer, _arguments: Arguments) -> bool:
    named = _plain_entries(answer.text)
    return all(city == capital for city, capital in zip_longest(named, _CAPITALS))


def date_format_list(answer: Answer, _arguments: Arguments) -> bool:
    text = answer.text.strip()
    # Where the first or the last is none, the others need not be read.
    ends = (text.partition(",")[0], text.rpartition(",")[2])
    return all(map(_is_date, ends)) and all(map(_is_date, set(text.split(","))))


class _Eagle(NamedTuple):
    has_eagle: bool
    first: str
    last: str


def _eagle(text: str) -> _Eagle | None:
    bare = without_marks(text.lower())
    first, last = bare.split(None, 1)[:1], bare.rsplit(None, 1)[-1:]
    if not first:
        return None
    words = bare.split() if "eagle" in bare and "bald" in bare else []
    return _Eagle(any(map(_is_eagle, words, words[1:])), first[0], last[0])


def _is_eagle(word: str, following: str) -> bool:
    return word.startswith("eagle") and following.endswith("bald")


def _bare_lines(text: str) -> list[tuple[str, str]]:
    """Each line that is more than marks, without those at its ends: as it is, and in plain letters."""
    lines = [bare for line in text.split("\n") if (bare := line.strip(MARKS_AND_SPACE))]
    return list(zip(lines, plain_letters("\n".join(lines)).split("\n"), strict=False))


def _first_numbers(text: str, most: int) -> list[str]:
    return [number.group() for number in islice(_DIGITS.finditer(text), most)]


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


def _is_date(text: str) -> bool:
    # Officially a month 00 passes, with any day.
    date = _DATE.fullmatch(text.strip())
    if date is None:
        return False
    year, month, day = map(int, date.groups())
    if year not in _NAPOLEON_LIVED or month > _MONTHS:
        return False
    return month == 0 or day <= _MOST_DAYS.get(month, 31)
