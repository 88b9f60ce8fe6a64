"""One function per official instruction, in the order of their ids: does the response follow it?"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice, takewhile

from assay.benchmarks.ifeval.language import reads_as
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.english.words import word_runs, words
from assay.engine.graders.instructions.arguments import Arguments

_LANGUAGES = frozenset(
    "ar bg bn de en es fa fi fr gu he hi it ja kn ko ml mr ne pa pl pt ru sw ta te th uk ur vi".split()  # noqa: SIM905
)
_POSTSCRIPTS: Mapping[str, str] = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
_OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_HIGHLIGHT = re.compile(r"\*([^\n*]*)\*")
_DOUBLE_HIGHLIGHT = re.compile(r"\*\*([^\n*]*)\*\*")
_FENCES = ("```json", "```Json", "```JSON", "```")
_DIVIDER = re.compile(r"\s?\*\*\*\s?")
_ENDS_FIRST_WORD = frozenset(".,?!'\"")


def capital_word_frequency(response: str, arguments: Arguments) -> bool:
    wanted, relation = arguments.integer("capital_frequency"), arguments.relation("capital_relation")
    capitals = filter(str.isupper, words(response))
    return relation(_count(capitals, up_to=max(wanted, 0)), wanted)


def english_capital(response: str, _arguments: Arguments) -> bool:
    is_english = reads_as("en")
    return response.isupper() and is_english(response)


def english_lowercase(response: str, _arguments: Arguments) -> bool:
    is_english = reads_as("en")
    return response.islower() and is_english(response)


def repeat_prompt(response: str, arguments: Arguments) -> bool:
    prompt = arguments.text("prompt_to_repeat")
    return response.strip().lower().startswith(prompt.strip().lower())


def two_responses(response: str, _arguments: Arguments) -> bool:
    parts = [part.strip() for part in response.split("******")]
    answers = [part for part in parts if part]
    return all(parts[1:-1]) and len(answers) == 2 and answers[0] != answers[1]  # noqa: PLR2004 - the name says two


def number_placeholders(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("num_placeholders")
    return sum(map(_placeholders, response.split("\n"))) >= wanted


def _placeholders(line: str) -> int:
    r"""As many as `\[.*?\]` matches, without its quadratic time on unclosed brackets."""
    count = 0
    end = -1
    while (start := line.find("[", end + 1)) >= 0 and (end := line.find("]", start)) >= 0:
        count += 1
    return count


def postscript(response: str, arguments: Arguments) -> bool:
    marker = arguments.text("postscript_marker").strip()
    pattern = arguments.pattern(_POSTSCRIPTS.get(marker, marker.lower()), re.MULTILINE)
    return bool(pattern.search(response.lower()))


def constrained_response(response: str, _arguments: Arguments) -> bool:
    return any(option in response for option in _OPTIONS)


def json_format(response: str, _arguments: Arguments) -> bool:
    text = response.strip()
    for fence in _FENCES:
        text = text.removeprefix(fence)
    try:
        json.loads(text.removesuffix("```").strip())
    except (ValueError, RecursionError):  # the official scorer crashes on nesting too deep to read
        return False
    return True


def multiple_sections(response: str, arguments: Arguments) -> bool:
    splitter, wanted = arguments.text("section_spliter").strip(), arguments.count("num_sections")
    return len(arguments.pattern(rf"\s?{splitter}\s?\d+\s?").split(response)) > wanted


def number_bullet_lists(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("num_bullets")
    lines = [line.lstrip() for line in response.split("\n")]
    return _starred(lines) + sum(line.startswith("-") for line in lines) == wanted


def _starred(lines: list[str]) -> int:
    """Lines that start with one star; a lone star takes the line after it as its text."""
    count = 0
    remaining = iter(lines)
    for line in remaining:
        if line == "*":
            count += next(remaining, None) is not None
        elif line.startswith("*") and not line.startswith("**"):
            count += 1
    return count


def number_highlighted_sections(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("num_highlights")
    highlights = _HIGHLIGHT.findall(response) + _DOUBLE_HIGHLIGHT.findall(response)
    return sum(1 for highlight in highlights if highlight.strip()) >= wanted


def title(response: str, _arguments: Arguments) -> bool:
    return any(map(_has_title, response.split("\n")))


def _has_title(line: str) -> bool:
    start, end = line.find("<<"), line.rfind(">>")
    # The official pattern requires a character between the brackets, which may itself be a bracket.
    if start < 0 or end < start + 3:
        return False
    return bool(line[start:end].lstrip("<").rstrip(">").strip())


def existence(response: str, arguments: Arguments) -> bool:
    keywords = [arguments.pattern(word, re.IGNORECASE) for word in arguments.texts("keywords")]
    return all(keyword.search(response) for keyword in keywords)


def frequency(response: str, arguments: Arguments) -> bool:
    keyword = arguments.pattern(arguments.text("keyword").strip(), re.IGNORECASE)
    wanted, relation = arguments.count("frequency"), arguments.relation("relation")
    return relation(_count(keyword.finditer(response), up_to=wanted), wanted)


def forbidden_words(response: str, arguments: Arguments) -> bool:
    forbidden = arguments.texts("forbidden_words")
    patterns = [arguments.pattern(rf"\b{word}\b", re.IGNORECASE) for word in forbidden]
    return not any(pattern.search(response) for pattern in patterns)


def letter_frequency(response: str, arguments: Arguments) -> bool:
    letter = arguments.text("letter")
    if len(letter) > 1:
        raise arguments.error(f"'letter' must be one character, not {letter!r}")
    wanted, relation = arguments.count("let_frequency"), arguments.relation("let_relation")
    # A blank letter becomes the empty string, which officially occurs 0 times: str.count would differ.
    return relation(Counter(response.lower())[letter.strip().lower()], wanted)


def response_language(response: str, arguments: Arguments) -> bool:
    language = arguments.text("language")
    if language not in _LANGUAGES:
        raise arguments.error(f"'language' must be one of {sorted(_LANGUAGES)}, not {language!r}")
    return reads_as(language)(response)


def number_sentences(response: str, arguments: Arguments) -> bool:
    wanted, relation = arguments.count("num_sentences"), arguments.relation("relation")
    return relation(_count(sentences(response), up_to=wanted), wanted)


def number_words(response: str, arguments: Arguments) -> bool:
    wanted, relation = arguments.count("num_words"), arguments.relation("relation")
    return relation(len(word_runs(response)), wanted)


def number_paragraphs(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("num_paragraphs")
    # Only what is before the first divider and after the last may be blank.
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
    words_of_nth = paragraphs[nth - 1].split(maxsplit=1)
    return bool(words_of_nth) and _bare_lower(words_of_nth[0]) == first_word


def _bare_lower(word: str) -> str:
    opened = word.lstrip("'").lstrip('"')
    letters = takewhile(lambda letter: letter not in _ENDS_FIRST_WORD, opened)
    # Officially letter by letter: a capital sigma after others has another small form than alone.
    return "".join(letter.lower() for letter in letters)


def no_comma(response: str, _arguments: Arguments) -> bool:
    return "," not in response


def end_checker(response: str, arguments: Arguments) -> bool:
    phrase = arguments.text("end_phrase").strip().lower()
    return response.strip().strip('"').lower().endswith(phrase)


def quotation(response: str, _arguments: Arguments) -> bool:
    text = response.strip()
    return len(text) > 1 and text.startswith('"') and text.endswith('"')


def _count(found: Iterable[object], *, up_to: int) -> int:
    """How many there are; a relation to `up_to` does not depend on those beyond it."""
    return sum(1 for _ in islice(found, up_to))
