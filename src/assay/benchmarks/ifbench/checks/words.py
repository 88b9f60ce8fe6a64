# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingModuleSource=false
# (syllapy has no annotations)
import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from assay.benchmarks.ifbench.marks import MARKS, MARKS_AND_SPACE, bare_words
from assay.domain.errors import MissingExtraError
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.english.tagging import first_tag
from assay.engine.graders.english.words import leading_words
from assay.engine.graders.english.words import words as tokens
from assay.engine.graders.instructions.arguments import Arguments

_ALPHABET = string.ascii_lowercase
_CONSONANT_CLUSTER = re.compile("[bcdfghjklmnpqrstvwxyz]{2}")
_PRIMES = frozenset(
    number for number in range(2, 100) if all(number % divisor for divisor in range(2, number))
)
_MOST_VOWELS = 3
_LEAST_PALINDROMES, _SHORTEST_PALINDROME = 10, 5


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
    return "VB" in (first_tag(leading_words(response, 3)) or "")


def repeats(response: str, arguments: Arguments) -> bool:
    most = arguments.count("small_n")
    return all(count <= most for count in Counter(bare_words(response.lower())).values())


def odd_even_syllables(response: str, _arguments: Arguments) -> bool:
    syllables = syllable_counter()
    known: dict[str, bool] = {}
    are_odd: list[bool] = []
    for word in bare_words(response.lower()):
        if word not in known:
            known[word] = syllables(word) % 2 == 1
        are_odd.append(known[word])
    return all(is_odd is not next_is_odd for is_odd, next_is_odd in pairwise(are_odd))


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
    parts = sentences(response)
    if len(parts) < nth:
        return False
    words = [token for token in tokens(parts[nth - 1]) if any(map(str.isalnum, token))]
    return len(words) >= mth and words[mth - 1].lower() == keyword.strip().lower()


def words_position(response: str, arguments: Arguments) -> bool:
    keyword = arguments.text("keyword").strip().lower()
    found = tokens(response)
    # A closing mark does not count as the last word; officially that is any part of the string of all marks.
    from_the_end = 3 if found and found[-1] in MARKS else 2
    if len(found) < from_the_end:
        return False
    return found[1].lower() == found[-from_the_end].lower() == keyword


@cache
def syllable_counter() -> Callable[[str], int]:
    try:
        from syllapy import count  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the syllable check of IFBench", "ifbench") from error
    return count
