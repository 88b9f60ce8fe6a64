# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingModuleSource=false
# (syllapy has no annotations)
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from assay.benchmarks.ifbench.marks import MARKS, MARKS_AND_SPACE, bare_lower_words, bare_words
from assay.domain.errors import MissingExtraError
from assay.engine.graders.english.characters import blocks
from assay.engine.graders.english.repeated_sentences import neighbouring_sentences, nth_sentence
from assay.engine.graders.english.repetition import LEAST_CONDENSED, condensed, with_condensed_word
from assay.engine.graders.english.tagging import first_tag
from assay.engine.graders.english.words import closing_words, leading_words, word_stream
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_ALPHABET = string.ascii_lowercase
_NEXT_LETTER = dict(zip(_ALPHABET, _ALPHABET[1:] + _ALPHABET[0], strict=True))
_CONSONANT_CLUSTER = re.compile("[bcdfghjklmnpqrstvwxyz]{2}")
_PRIMES = frozenset(
    number for number in range(2, 100) if all(number % divisor for divisor in range(2, number))
)
_VOWELS = "aeiou"
_VOWEL_RUN = re.compile("[aeiouy]+")
_DIGIT = re.compile(r"\d")
_LONGEST_LISTED = 100
_MOST_VOWELS = 3
_FEW_WORDS = 20
_LEAST_PALINDROMES, _SHORTEST_PALINDROME = 10, 5


class _Ends(NamedTuple):
    """Whether neighbours agree everywhere in some words, and what the first and the last of them are."""

    agree: bool
    first: str
    last: str


def alphabet(answer: Answer, _arguments: Arguments) -> bool:
    first_characters = answer.facts_whatever_stars(_first_character)
    if next(filter(None, first_characters), "").lower() not in _NEXT_LETTER:
        return False
    ends = [end for end in answer.facts_whatever_stars(_alphabetical) if end]
    return all(end.agree for end in ends) and all(
        _follows(end.last, following.first) for end, following in pairwise(ends)
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
    counts = answer.facts_whatever_stars(_word_counts)
    if any(max(count.values(), default=0) > most for count in counts):
        return False
    largest = max(counts, key=len)
    smaller = set().union(*(count for count in counts if count is not largest))
    return all(sum(count[word] for count in counts) <= most for word in smaller)


def odd_even_syllables(answer: Answer, _arguments: Arguments) -> bool:
    syllable_counter()
    ends = [end for end in answer.facts_whatever_stars(_alternating) if end]
    return all(end.agree for end in ends) and all(
        _is_odd(end.last) is not _is_odd(following.first) for end, following in pairwise(ends)
    )


def last_first(answer: Answer, _arguments: Arguments) -> bool:
    for sentence, following in pairwise(neighbouring_sentences(answer.text)):
        last = sentence.rstrip(MARKS_AND_SPACE).rsplit(None, 1)[-1:]
        first = following.lstrip(MARKS_AND_SPACE).split(None, 1)[:1]
        if not last or not first or last[0].lower() != first[0].lower():
            return False
    return True


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
    # What is repeated for long has as many words as are counted, or so few that repeats do not matter.
    is_early = mth <= _FEW_WORDS and len(keyword) < LEAST_CONDENSED
    sentence = nth_sentence(with_condensed_word(answer.text) if is_early else answer.text, nth)
    if sentence is None:
        return False
    if is_early:
        sentence = condensed(sentence)
    words = (token for token in word_stream(sentence) if any(map(str.isalnum, token)))
    word = next(islice(words, mth - 1, None), None)
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


@cache
def syllable_counter() -> Callable[[str], int]:
    try:
        from syllapy import count  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the syllable check of IFBench", "ifbench") from error
    return count


def _first_character(text: str) -> str:
    for block in blocks(text):
        if words := bare_words(block):
            return words[0][0]
    return ""


def _alphabetical(text: str) -> _Ends | None:
    return _ends([word.lower()[0] for word in bare_words(text)], _follows)


def _without_alliteration(text: str) -> _Ends | None:
    first = last = ""
    for block in blocks(text):
        initials = [word[0] for word in bare_lower_words(block)]
        if not initials:
            continue
        first = first or initials[0]
        if any(map(str.__eq__, (last, *initials), initials)):
            return _Ends(agree=False, first=first, last=last)
        last = initials[-1]
    return _Ends(agree=True, first=first, last=last) if first else None


def _alternating(text: str) -> _Ends | None:
    return _ends(bare_lower_words(text), lambda word, following: _is_odd(word) is not _is_odd(following))


def _ends(found: Sequence[str], agree: Callable[[str, str], bool]) -> _Ends | None:
    if not found:
        return None
    return _Ends(all(agree(one, following) for one, following in pairwise(found)), found[0], found[-1])


def _follows(letter: str, following: str) -> bool:
    return _NEXT_LETTER.get(letter) == following


@lru_cache(maxsize=10_000)
def _is_odd(word: str) -> bool:
    if len(word) <= _LONGEST_LISTED:
        return syllable_counter()(word) % 2 == 1
    # The counter's rule for words that it does not list, in one pass.
    if _DIGIT.search(word):
        return False
    count = sum(1 for _ in _VOWEL_RUN.finditer(word)) - word.endswith("e")
    count += word.endswith("le") and word[-3] not in "aeiouy"
    return max(count, 1) % 2 == 1


def _have_clusters(text: str) -> bool:
    return all(all(map(_CONSONANT_CLUSTER.search, set(block.lower().split()))) for block in blocks(text))


def _palindromes(text: str) -> int:
    """How many there are, but no more than are wanted."""
    found = (
        word
        for block in blocks(text)
        for word in bare_lower_words(block)
        if len(word) >= _SHORTEST_PALINDROME and word == word[::-1]
    )
    return sum(1 for _ in islice(found, _LEAST_PALINDROMES))


def _have_prime_lengths(text: str) -> bool:
    return all(_PRIMES.issuperset(map(len, bare_words(block))) for block in blocks(text))


def _word_counts(text: str) -> Counter[str]:
    return Counter(bare_lower_words(text))


def _lines_end_as_they_start(text: str) -> bool:
    for line in set(text.split("\n")):
        words = line.strip().lower().strip(MARKS_AND_SPACE).split()
        if words and words[0] != words[-1]:
            return False
    return True
