import re
import string
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.benchmarks.ifbench.marks import (
    MARKS,
    MARKS_AND_SPACE,
    Words,
    bare_lower_words_by_block,
    bare_words,
    bare_words_by_block,
    stripped_with_spaces,
)
from assay.benchmarks.ifbench.meeting_words import meet, meet_in_bulk
from assay.benchmarks.ifbench.repeated_words import counted, is_one_too_often
from assay.benchmarks.ifbench.syllables import are_odd, listed
from assay.engine.graders.english.characters import blocks
from assay.engine.graders.english.code_points import (
    Codes,
    among,
    are_blanks,
    ascii_table,
    counts_before,
    lower_codes_of,
    outer_words,
    runs_of,
    trimmed,
)
from assay.engine.graders.english.distinct import are_alike
from assay.engine.graders.english.flags import Flags
from assay.engine.graders.english.repetition import LEAST_CONDENSED, condensed
from assay.engine.graders.english.tagging import first_tag
from assay.engine.graders.english.token_counts import alphanumeric_word
from assay.engine.graders.english.words import closing_words, leading_words
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_ALPHABET = string.ascii_lowercase
_IS_CONSONANT = ascii_table("bcdfghjklmnpqrstvwxyz")
_IS_PRIME = np.array(
    [number > 1 and all(number % divisor for divisor in range(2, number)) for number in range(101)]
)
_VOWELS = "aeiou"
_NEW_LINE, _FEW_LINES = re.compile("\n"), 500
_MOST_VOWELS = 3
_LEAST_PALINDROMES, _SHORTEST_PALINDROME, _LONG_PALINDROME = 10, 5, 40


class _Ends(NamedTuple):
    """Whether neighbours agree everywhere in some words, and the initials or parities of the outer ones."""

    agree: bool
    first: int
    last: int


def alphabet(answer: Answer, _arguments: Arguments) -> bool:
    first_characters = answer.facts_whatever_stars(_first_character)
    first = next(filter(None, first_characters), "").lower()
    if len(first) != 1 or first not in _ALPHABET:
        return False
    ends = [end for end in answer.facts_whatever_stars(_alphabetical) if end]
    return all(end.agree for end in ends) and all(
        _follow(np.array([end.last, following.first])).all() for end, following in pairwise(ends)
    )


def vowel(answer: Answer, _arguments: Arguments) -> bool:
    text = answer.text.strip()
    if "\n" in text:
        return False
    lower = text.lower()
    return sum(letter in lower for letter in _VOWELS) <= _MOST_VOWELS


def consonants(answer: Answer, _arguments: Arguments) -> bool:
    return all(answer.facts(_have_clusters))


def palindrome(answer: Answer, _arguments: Arguments) -> bool:
    return sum(answer.facts_whatever_stars(_palindromes)) >= _LEAST_PALINDROMES


def prime_lengths(answer: Answer, _arguments: Arguments) -> bool:
    return all(answer.facts_whatever_stars(_have_prime_lengths))


def start_verb(answer: Answer, _arguments: Arguments) -> bool:
    return "VB" in (first_tag(leading_words(condensed(answer.text), 3)) or "")


def repeats(answer: Answer, arguments: Arguments) -> bool:
    most = arguments.count("small_n")
    parts = answer.facts_whatever_stars(counted, most)
    return not any(part.is_too_often for part in parts) and not is_one_too_often(parts, most)


def odd_even_syllables(answer: Answer, _arguments: Arguments) -> bool:
    listed()
    ends = [end for end in answer.facts_whatever_stars(_alternating) if end]
    return all(end.agree for end in ends) and all(
        end.last != following.first for end, following in pairwise(ends)
    )


def last_first(answer: Answer, _arguments: Arguments) -> bool:
    return answer.sentences_agree(str, meet, in_bulk=meet_in_bulk)


def paragraph_last_first(answer: Answer, _arguments: Arguments) -> bool:
    return all(answer.facts(_lines_end_as_they_start))


def no_consecutive(answer: Answer, _arguments: Arguments) -> bool:
    ends = [end for end in answer.facts_whatever_stars(_without_alliteration) if end]
    return all(end.agree for end in ends) and all(
        end.last != following.first for end, following in pairwise(ends)
    )


def keywords_specific_position(answer: Answer, arguments: Arguments) -> bool:
    keyword = arguments.text("keyword").strip().lower()
    nth, mth = arguments.position("n"), arguments.position("m")
    sentence = answer.nth_sentence(nth)
    if sentence is None:
        return False
    word = alphanumeric_word(sentence, mth)
    return word is not None and word.lower() == keyword


def words_position(answer: Answer, arguments: Arguments) -> bool:
    keyword = arguments.text("keyword").strip().lower()
    text = condensed(answer.text) if len(keyword) < LEAST_CONDENSED else answer.text
    found = leading_words(text, 3)
    if [word.lower() for word in found[1:2]] != [keyword]:
        return False
    closing = closing_words(text, 3)
    # A closing mark does not count as the last word; officially that is any part of the string of all marks.
    from_the_end = 3 if closing[-1] in MARKS else 2
    return len(closing) >= from_the_end and closing[-from_the_end].lower() == keyword


def _first_character(text: str) -> str:
    for block in blocks(text):
        if words := bare_words(block):
            return words[0][0]
    return ""


def _alphabetical(text: str) -> _Ends | None:
    return _ends(_initials(text), _follow)


def _without_alliteration(text: str) -> _Ends | None:
    return _ends(_initials(text), _differ)


def _alternating(text: str) -> _Ends | None:
    first: int | None = None
    last = np.array([], np.bool_)
    for words in bare_lower_words_by_block(text):
        parities = np.concatenate((last, are_odd(words)))
        if (parities[:-1] == parities[1:]).any():
            return _Ends(agree=False, first=0, last=0)
        last = parities[-1:]
        first = int(parities[0]) if first is None and parities.size else first
    return None if first is None else _Ends(agree=True, first=first, last=int(last[0]))


def _initials(text: str) -> Codes:
    return np.concatenate([codes[runs.starts] for codes, runs in bare_lower_words_by_block(text)])


def _ends(found: Codes, agree: Callable[[Codes], Flags]) -> _Ends | None:
    if not len(found):
        return None
    return _Ends(bool(agree(found).all()), int(found[0]), int(found[-1]))


def _follow(letters: Codes) -> Flags:
    """Which letters but the last are those before the next ones in the alphabet."""
    places = letters - np.uint32(ord("a"))
    return (places[:-1] < len(_ALPHABET)) & ((places[:-1] + 1) % len(_ALPHABET) == places[1:])


def _differ(found: Codes) -> Flags:
    return found[:-1] != found[1:]


def _have_clusters(text: str) -> bool:
    for block in blocks(text):
        codes = lower_codes_of(block)
        are_consonants = among(codes, _IS_CONSONANT)
        clusters = counts_before(are_consonants[:-1] & are_consonants[1:])
        words = runs_of(~are_blanks(codes))
        if (clusters[words.starts] == clusters[words.ends - 1]).any():
            return False
    return True


def _palindromes(text: str) -> int:
    """How many there are; beyond those that are wanted they are not counted to the end."""
    count = 0
    for words in bare_lower_words_by_block(text):
        count += _palindrome_count(words)
        if count >= _LEAST_PALINDROMES:
            break
    return count


def _palindrome_count(words: Words) -> int:
    """Compares the outermost letters of all words, then the next ones of those that are left."""
    codes, runs = words
    are_long = runs.lengths > _LONG_PALINDROME
    count = sum(
        np.array_equal(word := codes[start:end], word[::-1])
        for start, end in zip(runs.starts[are_long].tolist(), runs.ends[are_long].tolist(), strict=True)
    )
    left = np.flatnonzero((runs.lengths >= _SHORTEST_PALINDROME) & ~are_long)
    starts, lasts = runs.starts[left], runs.ends[left] - 1
    while starts.size:
        same = np.flatnonzero(codes[starts] == codes[lasts])
        starts, lasts = starts[same] + 1, lasts[same] - 1
        unread = np.flatnonzero(starts < lasts)
        count += len(starts) - len(unread)
        starts, lasts = starts[unread], lasts[unread]
    return count


def _have_prime_lengths(text: str) -> bool:
    return all(_IS_PRIME.take(words.runs.lengths, mode="clip").all() for words in bare_words_by_block(text))


def _lines_end_as_they_start(text: str) -> bool:
    for block in blocks(text, _NEW_LINE):
        is_of_few = block.count("\n") < _FEW_LINES
        if not (all(map(_ends_as_it_starts, block.split("\n"))) if is_of_few else _end_as_they_start(block)):
            return False
    return True


def _ends_as_it_starts(line: str) -> bool:
    bare = line.strip().strip(MARKS_AND_SPACE)
    first, last = bare.split(None, 1)[:1], bare.rsplit(None, 1)[-1:]
    return [word.lower() for word in first] == [word.lower() for word in last]


def _end_as_they_start(text: str) -> bool:
    codes = lower_codes_of(text)
    are_blank = are_blanks(codes)
    lines = trimmed(runs_of(codes != ord("\n")), ~are_blank).filled()
    lines = trimmed(stripped_with_spaces(codes, lines).filled(), ~are_blank).filled()
    return are_alike(codes, *outer_words(lines, lines, are_blank))
