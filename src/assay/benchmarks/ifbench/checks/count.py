import re
from itertools import accumulate, islice

from assay.benchmarks.ifbench.marks import MARKS_AND_SPACE, without_marks
from assay.engine.graders.english.characters import blocks
from assay.engine.graders.english.pronouns import PRONOUNS
from assay.engine.graders.english.token_bounds import most_pronouns
from assay.engine.graders.english.words import count_words, leading_words, word_stream
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import lower_count

# ruff: noqa: SIM905 - lists of words read best as text
_CONJUNCTIONS = frozenset("and but for nor or so yet".split())
_NAMES = (
    "Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia "
    "Benjamin Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob "
    "Scarlett Nathan Victoria Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora "
    "Andrew Aria Joseph Claire Ryan Stella Jonathan"
).split()
_NAME_PATTERNS = {name: re.compile(rf"{name}(?<=\b{name})\b") for name in _NAMES}
_DIGITS = re.compile(r"\d+")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_INTERROBANGS = ("?!", "!?")
_EARLY_WORDS = 500
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
    return len(set[str]().union(*answer.facts(_conjunctions))) >= wanted


def person_names(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("N")
    return len(set[str]().union(*answer.facts(_person_names))) >= wanted


def numbers(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("N")
    return sum(answer.facts_whatever_stars(_numbers, wanted + 1)) == wanted


def punctuation(answer: Answer, _arguments: Arguments) -> bool:
    """The marks of the interrobang itself do not count as the other marks."""
    text = answer.text
    interrobang = next((mark for mark in _INTERROBANGS if mark in text), None)
    if interrobang is None:
        return "‽" in text and all(mark in text for mark in _STANDARD_MARKS)
    rest = text.replace(interrobang, "", 1)
    return all(mark in rest for mark in _STANDARD_MARKS)


def keywords_multiple(answer: Answer, arguments: Arguments) -> bool:
    wanted = [(arguments.text(name).strip().lower(), count) for name, count in _KEYWORD_COUNTS.items()]
    if not all(keyword and "\n" not in keyword for keyword, _ in wanted):
        lower = answer.text.lower()
        return all(lower.count(keyword) == count for keyword, count in wanted)
    return all(sum(answer.facts(lower_count, keyword)) == count for keyword, count in wanted)


def words_japanese(answer: Answer, arguments: Arguments) -> bool:
    nth = arguments.position("N")
    seen = 0
    for block in blocks(answer.text):
        words = block.split()
        # The first of them that is an n-th word of the text.
        start = (nth - 1 - seen) % nth
        if not all(map(_is_japanese, set(words[start::nth]))):
            return False
        seen += len(words)
    return True


def pronouns(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("N")
    if sum(answer.facts(_most_pronouns)) < wanted:
        return False
    counts = (stretch.fact(_pronouns, wanted) for stretch in answer.stretches())
    return any(count >= wanted for count in accumulate(counts))


def _is_japanese(word: str) -> bool:
    if not word.isascii() and _JAPANESE.search(word):
        return True
    bare = without_marks(word)
    return not bare or (bare.isdigit() and bare == word.strip(MARKS_AND_SPACE))


def _unique_words(text: str, most: int) -> set[str]:
    """The words without marks at their ends, until there are as many as asked about."""
    unique = set[str]()
    for block in blocks(text):
        # Officially a token of marks alone is a word too: the empty one.
        unique.update(word.strip(MARKS_AND_SPACE) for word in set(block.lower().split()))
        if len(unique) >= most:
            break
    return unique


def _conjunctions(text: str) -> set[str]:
    # Officially "and", "And" and "and," are three different conjunctions.
    return {word for word in set(text.split()) if word.strip(MARKS_AND_SPACE).lower() in _CONJUNCTIONS}


def _person_names(text: str) -> set[str]:
    initials = {name[0] for name in _NAMES if name[0] in text}
    return {
        name
        for name, pattern in _NAME_PATTERNS.items()
        if name[0] in initials and name in text and pattern.search(text)
    }


def _numbers(text: str, most: int) -> int:
    return sum(1 for _ in islice(_DIGITS.finditer(without_marks(text)), most))


def _most_pronouns(text: str) -> int:
    return most_pronouns(_small(text))


def _pronouns(text: str, most: int) -> int:
    small = _small(text)
    # Most of what has enough of them has so early.
    if most <= _EARLY_WORDS and sum(map(PRONOUNS.__contains__, leading_words(small, _EARLY_WORDS))) >= most:
        return most
    return sum(1 for _ in islice(filter(PRONOUNS.__contains__, word_stream(small)), most))


def _small(text: str) -> str:
    return text.replace("/", " ").lower()
