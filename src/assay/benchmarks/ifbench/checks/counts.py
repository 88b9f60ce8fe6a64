"""Instructions that ask for a number or a share of words, marks or characters."""

import re

from assay.benchmarks.ifbench.marks import MARKS_AND_SPACE, without_marks
from assay.engine.graders.english.words import word_runs, words
from assay.engine.graders.instructions.arguments import Arguments

# ruff: noqa: SIM905 - lists of words read best as text
_CONJUNCTIONS = frozenset("and but for nor or so yet".split())
_NAMES = (
    "Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia "
    "Benjamin Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob "
    "Scarlett Nathan Victoria Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora "
    "Andrew Aria Joseph Claire Ryan Stella Jonathan"
).split()
_NAME = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b")
_PRONOUNS = frozenset(
    (
        "i me we us you he him she her it they them my mine our ours your yours his hers its their theirs "
        "myself ourselves yourself yourselves himself herself itself themselves this that these those who "
        "whom whose which what whoever whomever whatever whichever anybody anyone anything everybody "
        "everyone everything nobody nothing somebody someone something each either neither both all some "
        "any none"
    ).split()
)
# The English stop words of NLTK that are single words; its list also has contractions.
_STOP_WORDS = frozenset(
    (
        "a about above after again against ain all am an and any are aren as at be because been before "
        "being below between both but by can couldn d did didn do does doesn doing don down during each few "
        "for from further had hadn has hasn have haven having he her here hers herself him himself his how "
        "i if in into is isn it its itself just ll m ma me mightn more most mustn my myself needn no nor "
        "not now o of off on once only or other our ours ourselves out over own re s same shan she should "
        "shouldn so some such t than that the their theirs them themselves then there these they this those "
        "through to too under until up ve very was wasn we were weren what when where which while who whom "
        "why will with won wouldn y you your yours yourself yourselves"
    ).split()
)
_DIGITS = re.compile(r"\d+")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_INTERROBANGS = ("?!", "!?")
_STANDARD_MARKS = ".,!?;:"
_KEYWORD_COUNTS = {"keyword1": 1, "keyword2": 2, "keyword3": 3, "keyword4": 5, "keyword5": 7}
_OVERLAP_TOLERANCE = 2


def word_count_range(response: str, arguments: Arguments) -> bool:
    return arguments.count("min_words") <= len(word_runs(response)) <= arguments.count("max_words")


def unique_word_count(response: str, arguments: Arguments) -> bool:
    # Officially a token that consists of marks is a word too: the empty one.
    unique = {word.strip(MARKS_AND_SPACE) for word in response.lower().split()}
    return len(unique) >= arguments.count("N")


def conjunctions(response: str, arguments: Arguments) -> bool:
    # Officially "and", "And" and "and," are three different conjunctions.
    found = {word for word in response.split() if word.strip(MARKS_AND_SPACE).lower() in _CONJUNCTIONS}
    return len(found) >= arguments.count("small_n")


def person_names(response: str, arguments: Arguments) -> bool:
    return len(set(_NAME.findall(response))) >= arguments.count("N")


def numbers(response: str, arguments: Arguments) -> bool:
    return len(_DIGITS.findall(without_marks(response))) == arguments.count("N")


def punctuation(response: str, _arguments: Arguments) -> bool:
    """The marks of the interrobang itself do not count as the other marks."""
    interrobang = next((mark for mark in _INTERROBANGS if mark in response), None)
    if interrobang is None:
        return "‽" in response and all(mark in response for mark in _STANDARD_MARKS)
    rest = response.replace(interrobang, "", 1)
    return all(mark in rest for mark in _STANDARD_MARKS)


def keywords_multiple(response: str, arguments: Arguments) -> bool:
    lower = response.lower()
    wanted = [(arguments.text(name).strip().lower(), count) for name, count in _KEYWORD_COUNTS.items()]
    return all(lower.count(keyword) == count for keyword, count in wanted)


def words_japanese(response: str, arguments: Arguments) -> bool:
    nth = arguments.position("N")
    every_nth = (word.strip(MARKS_AND_SPACE) for word in response.split()[nth - 1 :: nth])
    return all(_JAPANESE.search(word) for word in every_nth if word and not word.isdigit())


def pronouns(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("N")
    return sum(word in _PRONOUNS for word in words(response.replace("/", " ").lower())) >= wanted


def stop_words(response: str, arguments: Arguments) -> bool:
    most = arguments.number("percentage")
    runs = [run.lower() for run in word_runs(response)]
    return bool(runs) and sum(run in _STOP_WORDS for run in runs) / len(runs) * 100 <= most


def overlap(response: str, arguments: Arguments) -> bool:
    """Trigrams of characters, as the official scorer cuts them."""
    wanted = arguments.number("percentage")
    ours, reference = _trigrams(response), _trigrams(arguments.text("reference_text"))
    if not ours:
        return False
    shared = len(ours & reference) / len(ours) * 100
    return wanted - _OVERLAP_TOLERANCE <= shared <= wanted + _OVERLAP_TOLERANCE


def _trigrams(text: str) -> set[str]:
    return set(map("".join, zip(text, text[1:], text[2:], strict=False)))
