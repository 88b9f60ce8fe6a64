import re
from itertools import takewhile

from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.english.words import word_count
from assay.engine.graders.instructions.arguments import Arguments

_DIVIDER = re.compile(r"\s?\*\*\*\s?")
_ENDS_FIRST_WORD = frozenset(".,?!'\"")


def number_sentences(response: str, arguments: Arguments) -> bool:
    wanted, relation = arguments.count("num_sentences"), arguments.relation("relation")
    return relation(len(sentences(response)), wanted)


def number_words(response: str, arguments: Arguments) -> bool:
    wanted, relation = arguments.count("num_words"), arguments.relation("relation")
    return relation(word_count(response), wanted)


def number_paragraphs(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("num_paragraphs")
    filled = [bool(paragraph.strip()) for paragraph in _DIVIDER.split(response)]
    return all(filled[1:-1]) and sum(filled) == wanted


def nth_paragraph_first_word(response: str, arguments: Arguments) -> bool:
    wanted, nth = arguments.count("num_paragraphs"), arguments.integer("nth_paragraph")
    if not 1 <= nth <= wanted:
        raise arguments.error(f"'nth_paragraph' must be between 1 and {wanted}, but is {nth}")
    first_word = arguments.text("first_word").lower()
    paragraphs = response.split("\n\n")
    if sum(1 for paragraph in paragraphs if paragraph.strip()) != wanted:
        return False
    # Blank paragraphs are not counted, but the n-th is officially looked up with them in place.
    words = paragraphs[nth - 1].split(maxsplit=1)
    return bool(words) and _bare_lower(words[0]) == first_word


def _bare_lower(word: str) -> str:
    opened = word.lstrip("'").lstrip('"')
    letters = takewhile(lambda letter: letter not in _ENDS_FIRST_WORD, opened)
    return "".join(letter.lower() for letter in letters)
