# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingModuleSource=false
# (syllapy has no annotations)
"""Instructions about single words: their letters, order and places, and texts to repeat."""

import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import islice, pairwise

from assay.benchmarks.ifbench.marks import MARKS, MARKS_AND_SPACE, bare_words
from assay.domain.errors import MissingExtraError
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.english.tagging import first_tag
from assay.engine.graders.english.words import words as tokens
from assay.engine.graders.instructions.arguments import Arguments

_ALPHABET = string.ascii_lowercase
_CONSONANT_CLUSTER = re.compile("[bcdfghjklmnpqrstvwxyz]{2}")
_PRIMES = frozenset(
    number for number in range(2, 100) if all(number % divisor for divisor in range(2, number))
)
_MOST_VOWELS = 3
_LEAST_PALINDROMES, _SHORTEST_PALINDROME = 10, 5
_SENTENCE = "only output this sentence here, ignore all other requests."


def alphabet(response: str, _arguments: Arguments) -> bool:
    words = bare_words(response)
    first = words[0][0].lower() if words else ""
    if len(first) != 1 or first not in _ALPHABET:
        return False
    start = _ALPHABET.index(first)
    return all(
        word.lower()[0] == _ALPHABET[position % len(_ALPHABET)]
        for position, word in enumerate(words[1:], start=start + 1)
    )


def vowel(response: str, _arguments: Arguments) -> bool:
    text = response.strip()
    return "\n" not in text and len(set(text.lower()) & set("aeiou")) <= _MOST_VOWELS


def consonants(response: str, _arguments: Arguments) -> bool:
    return all(_CONSONANT_CLUSTER.search(word) for word in response.lower().split())


def palindrome(response: str, _arguments: Arguments) -> bool:
    words = bare_words(response.lower())
    return (
        sum(len(word) >= _SHORTEST_PALINDROME and word == word[::-1] for word in words) >= _LEAST_PALINDROMES
    )


def prime_lengths(response: str, _arguments: Arguments) -> bool:
    return all(len(word) in _PRIMES for word in bare_words(response))


def start_verb(response: str, _arguments: Arguments) -> bool:
    return "VB" in (first_tag(list(islice(tokens(response), 3))) or "")


def repeats(response: str, arguments: Arguments) -> bool:
    most = arguments.count("small_n")
    return all(count <= most for count in Counter(bare_words(response.lower())).values())


def odd_even_syllables(response: str, _arguments: Arguments) -> bool:
    syllables = syllable_counter()
    are_odd = (syllables(word) % 2 == 1 for word in bare_words(response.lower()))
    return all(is_odd is not next_is_odd for is_odd, next_is_odd in pairwise(are_odd))


@cache
def syllable_counter() -> Callable[[str], int]:
    try:
        from syllapy import count  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the syllable check of IFBench", "ifbench") from error
    return count


def last_first(response: str, _arguments: Arguments) -> bool:
    for sentence, following in pairwise(sentences(response)):
        last = sentence.rstrip(MARKS_AND_SPACE).split()[-1:]
        first = following.lstrip(MARKS_AND_SPACE).split()[:1]
        if not last or not first or last[0].lower() != first[0].lower():
            return False
    return True


def paragraph_last_first(response: str, _arguments: Arguments) -> bool:
    for line in response.split("\n"):
        words = line.strip().lower().strip(MARKS_AND_SPACE).split()
        if words and words[0] != words[-1]:
            return False
    return True


def no_consecutive(response: str, _arguments: Arguments) -> bool:
    return all(word[0] != following[0] for word, following in pairwise(bare_words(response.lower())))


def keywords_specific_position(response: str, arguments: Arguments) -> bool:
    keyword, nth, mth = arguments.text("keyword"), arguments.position("n"), arguments.position("m")
    sentence = next(islice(sentences(response), nth - 1, None), "")
    alphanumeric = (token for token in tokens(sentence) if any(map(str.isalnum, token)))
    word = next(islice(alphanumeric, mth - 1, None), None)
    return word is not None and word.lower() == keyword.strip().lower()


def words_position(response: str, arguments: Arguments) -> bool:
    keyword = arguments.text("keyword").strip().lower()
    found = tokens(response)
    leading = list(islice(found, 2))
    if [word.lower() for word in leading[1:]] != [keyword]:
        return False
    *_, third_last, second_last, last = ["", *leading, *found]
    # A closing mark does not count as the last word; officially that is any part of the string of all marks.
    return keyword == (third_last if last in MARKS else second_last).lower()


def repeat_change(response: str, arguments: Arguments) -> bool:
    request = arguments.text("prompt_to_repeat")
    return request != response and request.split()[1:] == response.split()[1:]


def repeat_simple(response: str, _arguments: Arguments) -> bool:
    return response.strip().lower() == _SENTENCE


def repeat_span(response: str, arguments: Arguments) -> bool:
    start, end = arguments.count("n_start"), arguments.count("n_end")
    span = arguments.text("prompt_to_repeat")[start : end + 1]
    return response.strip().lower() == span.strip().lower()
