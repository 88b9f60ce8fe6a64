import re

from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import lower_count
from assay.engine.graders.instructions.keyword import has_keyword, has_word, keyword_count


def existence(answer: Answer, arguments: Arguments) -> bool:
    words = arguments.texts("keywords")
    keywords = [arguments.pattern(word, re.IGNORECASE) for word in words]
    return all(has_keyword(answer, keyword) for keyword in keywords)


def frequency(answer: Answer, arguments: Arguments) -> bool:
    keyword = arguments.pattern(arguments.text("keyword").strip(), re.IGNORECASE)
    wanted, relation = arguments.count("frequency"), arguments.relation("relation")
    return relation(keyword_count(answer, keyword, wanted), wanted)


def forbidden_words(answer: Answer, arguments: Arguments) -> bool:
    words = arguments.texts("forbidden_words")
    patterns = [arguments.pattern(rf"\b{word}\b", re.IGNORECASE) for word in words]
    return not any(has_word(answer, word, pattern) for word, pattern in zip(words, patterns, strict=True))


def letter_frequency(answer: Answer, arguments: Arguments) -> bool:
    letter = arguments.text("letter")
    if len(letter) > 1:
        raise arguments.error(f"'letter' must be one character, not {letter!r}")
    wanted, relation = arguments.count("let_frequency"), arguments.relation("let_relation")
    lower = letter.strip().lower()
    # Officially single characters are counted: the empty one that a blank becomes, or two, occur 0 times.
    return relation(sum(answer.facts(lower_count, lower)) if len(lower) == 1 else 0, wanted)
