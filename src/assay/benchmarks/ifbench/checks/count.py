from collections import Counter
from itertools import compress, product
from typing import NamedTuple

import numpy as np

from assay.benchmarks.ifbench.marks import stripped, without_marks
from assay.engine.graders.english.characters import GAP, blocks
from assay.engine.graders.english.code_points import (
    Codes,
    Runs,
    are_alphanumeric,
    are_blanks,
    are_digits,
    are_digits_of_any_kind,
    codes_of,
    counts_before,
    lower_codes_of,
    run_count,
    runs_of,
)
from assay.engine.graders.english.distinct import distinct
from assay.engine.graders.english.vocabulary import Vocabulary
from assay.engine.graders.english.word_kinds import PRONOUN
from assay.engine.graders.english.words import count_words
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.word_counts import has_words

# ruff: noqa: SIM905 - lists of words read best as text
_CONJUNCTIONS = Vocabulary(
    "".join(letters)
    for word in "and but for nor or so yet".split()
    for letters in product(*zip(word, word.upper(), strict=True))
)
_NAMES = Vocabulary(
    (
        "Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia "
        "Benjamin Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob "
        "Scarlett Nathan Victoria Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora "
        "Andrew Aria Joseph Claire Ryan Stella Jonathan"
    ).split()
)
_JAPANESE = np.zeros(0xA001, np.bool_)
_JAPANESE[0x3040:0x3100] = _JAPANESE[0x4E00:0xA000] = True
_INTERROBANGS, _INTERROBANG_SIGN = ("?!", "!?"), "‽"
_STANDARD_MARKS = ".,!?;:"
_KEYWORD_COUNTS = {"keyword1": 1, "keyword2": 2, "keyword3": 3, "keyword4": 5, "keyword5": 7}


def word_count_range(answer: Answer, arguments: Arguments) -> bool:
    least, most = arguments.count("min_words"), arguments.count("max_words")
    return least <= sum(answer.facts(count_words, most + 1)) <= most


def unique_word_count(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("N")
    return len(set[str]().union(*answer.facts(_unique_words, wanted))) >= wanted


def conjunctions(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("small_n")
    return len(set[str]().union(*answer.facts(_conjunctions, wanted))) >= wanted


def person_names(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("N")
    return len(set[str]().union(*answer.facts(_person_names))) >= wanted


def numbers(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("N")
    return sum(answer.facts_whatever_stars(_numbers, wanted + 1)) == wanted


def punctuation(answer: Answer, _arguments: Arguments) -> bool:
    """The marks of the interrobang itself do not count as the other marks."""
    found = answer.facts(_marks)
    counts = sum((marks.counts for marks in found), Counter[str]())
    if any(marks.has_interrobang for marks in found):
        counts.subtract("?!")
    elif not any(marks.has_sign for marks in found):
        return False
    return all(counts[mark] > 0 for mark in _STANDARD_MARKS)


def keywords_multiple(answer: Answer, arguments: Arguments) -> bool:
    wanted = [(arguments.text(name).strip().lower(), count) for name, count in _KEYWORD_COUNTS.items()]
    keywords = tuple(keyword for keyword, _ in wanted)
    if all(keyword and "\n" not in keyword for keyword in keywords):
        found = [sum(counts) for counts in zip(*answer.facts(_lower_counts, keywords), strict=True)]
    else:
        found = _lower_counts(answer.text, keywords)
    return list(found) == list(_KEYWORD_COUNTS.values())


def words_japanese(answer: Answer, arguments: Arguments) -> bool:
    nth = arguments.position("N")
    # How many words there are before each line.
    seen = 0
    for line in answer.lines:
        count = line.fact(_count_if_japanese, nth, (nth - 1 - seen) % nth)
        if count is None:
            return False
        seen += count
    return True


def pronouns(answer: Answer, arguments: Arguments) -> bool:
    return has_words(answer, PRONOUN, arguments.count("N"))


def _count_if_japanese(text: str, nth: int, start: int) -> int | None:
    """How many words there are, if from the one with this index on each n-th has a Japanese character.

    It may also be a number with marks at its ends, or marks alone.
    """
    count = 0
    for block in blocks(text):
        codes = codes_of(block)
        words = runs_of(~are_blanks(codes))
        chosen = slice((start - count) % nth, None, nth)
        if not _are_japanese(codes, Runs(words.starts[chosen], words.ends[chosen])):
            return None
        count += len(words.starts)
    return count


def _are_japanese(codes: Codes, words: Runs) -> bool:
    are_japanese = _JAPANESE.take(codes, mode="clip")
    if are_japanese.any():
        japanese = counts_before(are_japanese)
        words = words.chosen(np.flatnonzero(japanese[words.starts] == japanese[words.ends]))
    starts, ends = stripped(codes, words)
    digits = counts_before(are_digits_of_any_kind(codes))
    return bool((digits[ends] - digits[starts] == ends - starts).all())


class _Marks(NamedTuple):
    has_interrobang: bool
    has_sign: bool
    counts: Counter[str]


def _marks(text: str) -> _Marks:
    counts = Counter({mark: text.count(mark) for mark in _STANDARD_MARKS})
    has_interrobang = bool(counts["?"] and counts["!"]) and any(mark in text for mark in _INTERROBANGS)
    return _Marks(has_interrobang, _INTERROBANG_SIGN in text, counts)


def _lower_counts(text: str, parts: tuple[str, ...]) -> list[int]:
    return list(map(text.lower().count, parts))


def _unique_words(text: str, most: int) -> set[str]:
    """The words without marks at their ends, until there are as many as asked about."""
    unique = set[str]()
    for block in blocks(text):
        # Officially a token of marks alone is a word too: the empty one.
        codes = lower_codes_of(block)
        unique |= distinct(codes, stripped(codes, runs_of(~are_blanks(codes))), most)
        if len(unique) >= most:
            break
    return unique


def _conjunctions(text: str, most: int) -> set[str]:
    # Officially "and", "And" and "and," are three different conjunctions.
    found = set[str]()
    for block in blocks(text):
        codes = codes_of(block)
        words = runs_of(~are_blanks(codes))
        chosen = np.flatnonzero(_CONJUNCTIONS.find(codes, stripped(codes, words)) >= 0)
        found |= distinct(codes, words.chosen(chosen), most)
        if len(found) >= most:
            break
    return found


def _person_names(text: str) -> set[str]:
    is_named = np.zeros(len(_NAMES.words) + 1, np.bool_)
    for block in blocks(text, GAP):
        codes = codes_of(block)
        is_named[_NAMES.find(codes, runs_of(are_alphanumeric(codes)))] = True
    return set(compress(_NAMES.words, is_named))


def _numbers(text: str, most: int) -> int:
    count = 0
    for block in blocks(text):
        count += run_count(are_digits(codes_of(without_marks(block))))
        if count >= most:
            break
    return count
