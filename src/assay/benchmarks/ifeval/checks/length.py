import re
from itertools import islice

from assay.engine.graders.english.words import count_words
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_DIVIDER = "***"
_NEXT_PARAGRAPH = re.compile(r"\n\n\s*+\S")
_ENDS_FIRST_WORD = re.compile(r"[.,?!'\"]")


def number_sentences(answer: Answer, arguments: Arguments) -> bool:
    wanted, relation = arguments.count("num_sentences"), arguments.relation("relation")
    return relation(answer.sentence_count(wanted), wanted)


def number_words(answer: Answer, arguments: Arguments) -> bool:
    wanted, relation = arguments.count("num_words"), arguments.relation("relation")
    return relation(sum(answer.facts(count_words, wanted)), wanted)


def number_paragraphs(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("num_paragraphs")
    # Only what is before the first divider and after the last may be blank.
    filled = [bool(paragraph.strip()) for paragraph in answer.text.split(_DIVIDER, wanted + 2)]
    return all(filled[1:-1]) and sum(filled) == wanted and len(filled) <= wanted + 2


def nth_paragraph_first_word(answer: Answer, arguments: Arguments) -> bool:
    wanted, nth = arguments.count("num_paragraphs"), arguments.integer("nth_paragraph")
    if not 1 <= nth <= wanted:
        raise arguments.error(f"'nth_paragraph' must be between 1 and {wanted}, but is {nth}")
    first_word = arguments.text("first_word").lower()
    if _paragraphs(answer.text, wanted + 1) != wanted:
        return False
    # Blank paragraphs are not counted, but the n-th is officially looked up with them in place.
    words = answer.text.split("\n\n", nth)[nth - 1].split(maxsplit=1)
    return bool(words) and _is_first_word(words[0], first_word)


def _paragraphs(text: str, most: int) -> int:
    """How many are not blank, but no more than asked about."""
    filled = text.lstrip()
    if not filled:
        return 0
    return 1 + sum(1 for _ in islice(_NEXT_PARAGRAPH.finditer(filled), most - 1))


def _is_first_word(word: str, expected: str) -> bool:
    opened = word.lstrip("'").lstrip('"')
    end = _ENDS_FIRST_WORD.search(opened)
    letters = opened[: end.start()] if end else opened
    # Letter by letter, as officially: a capital sigma among others has another small form than alone.
    return len(letters) <= len(expected) and "".join(map(str.lower, letters)) == expected
