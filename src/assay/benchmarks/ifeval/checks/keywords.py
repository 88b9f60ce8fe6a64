import re
from collections import Counter

from assay.engine.graders.instructions.arguments import Arguments


def existence(response: str, arguments: Arguments) -> bool:
    keywords = [arguments.pattern(word, re.IGNORECASE) for word in arguments.texts("keywords")]
    return all(keyword.search(response) for keyword in keywords)


def frequency(response: str, arguments: Arguments) -> bool:
    keyword = arguments.pattern(arguments.text("keyword").strip(), re.IGNORECASE)
    wanted, relation = arguments.count("frequency"), arguments.relation("relation")
    return relation(sum(1 for _ in keyword.finditer(response)), wanted)


def forbidden_words(response: str, arguments: Arguments) -> bool:
    words = arguments.texts("forbidden_words")
    patterns = [arguments.pattern(rf"\b{word}\b", re.IGNORECASE) for word in words]
    return not any(pattern.search(response) for pattern in patterns)


def letter_frequency(response: str, arguments: Arguments) -> bool:
    letter = arguments.text("letter")
    if len(letter) > 1:
        raise arguments.error(f"'letter' must be one character, not {letter!r}")
    wanted, relation = arguments.count("let_frequency"), arguments.relation("let_relation")
    # A blank letter becomes the empty string, which officially occurs 0 times: str.count would differ.
    return relation(Counter(response.lower())[letter.strip().lower()], wanted)
