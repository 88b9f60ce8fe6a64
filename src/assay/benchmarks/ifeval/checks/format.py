import json
import re
from itertools import islice

from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments, is_literal

_OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_HIGHLIGHTS = (re.compile(r"\*([^\n*]*+)\*"), re.compile(r"\*\*([^\n*]*+)\*\*"))
_TWELVE_STARS = "*" * 12
_FENCES = ("```json", "```Json", "```JSON", "```")
_BULLET = re.compile(r"^[^\S\n]*+(?:-|\*(?!\*))", re.MULTILINE)
_LONE_STAR = re.compile(r"^[^\S\n]*+\*[^\S\n]*+$", re.MULTILINE)
_TITLE_TO_LINE_END = re.compile(r"<<[^\n]+")


def number_bullet_lists(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("num_bullets")
    if not any(answer.facts(_has_lone_star)):
        return sum(answer.facts(_bullets, wanted + 1)) == wanted
    return _bullets_with_lone_stars(answer.text, wanted + 1) == wanted


def constrained_response(answer: Answer, _arguments: Arguments) -> bool:
    return any(option in answer.text for option in _OPTIONS)


def number_highlighted_sections(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("num_highlights")
    return sum(answer.facts(_highlights, wanted)) >= wanted


def multiple_sections(answer: Answer, arguments: Arguments) -> bool:
    splitter, wanted = arguments.text("section_spliter").strip(), arguments.count("num_sections")
    pattern = arguments.pattern(rf"\s?{splitter}\s?\d+\s?")
    if wanted == 0:
        return True
    if is_literal(splitter):
        # The blanks around it do not change the count; a pattern that starts with a letter is found faster.
        numbered = re.compile(rf"{splitter}\s?\d+")
        return sum(1 for _ in islice(numbered.finditer(answer.text), wanted)) == wanted
    return len(pattern.split(answer.text, wanted)) > wanted


def json_format(answer: Answer, _arguments: Arguments) -> bool:
    text = answer.text.strip()
    for fence in _FENCES:
        text = text.removeprefix(fence)
    try:
        json.loads(text.removesuffix("```").strip())
    except (ValueError, RecursionError):  # the official scorer crashes on nesting too deep to read
        return False
    return True


def title(answer: Answer, _arguments: Arguments) -> bool:
    return any(answer.facts(_has_title))


def _bullets(text: str, most: int) -> int:
    return sum(1 for _ in islice(_BULLET.finditer(text), most))


def _has_lone_star(text: str) -> bool:
    return "*" in text and bool(_LONE_STAR.search(text))


def _bullets_with_lone_stars(text: str, most: int) -> int:
    """A lone star takes the line after it as its text, and is none in the last line."""
    count = 0
    taken = -1
    for bullet in _BULLET.finditer(text):
        is_star, end = text[bullet.end() - 1] == "*", bullet.end()
        if is_star and bullet.start() == taken:
            continue
        is_lone = is_star and (end == len(text) or text[end] == "\n")
        count += not is_lone or end < len(text)
        taken = end + 1 if is_lone else -1
        if count >= most:
            break
    return count


def _highlights(text: str, most: int) -> int:
    """How many sections are highlighted, but no more than asked about."""
    if "*" not in text:
        return 0
    # Stars in a row are highlights of nothing: four more or less make no difference.
    while _TWELVE_STARS in text:
        text = text.replace(_TWELVE_STARS, _TWELVE_STARS[:8])
    found = (highlight for pattern in _HIGHLIGHTS for highlight in pattern.finditer(text))
    return sum(1 for _ in islice(filter(_is_filled, found), most))


def _is_filled(highlight: re.Match[str]) -> bool:
    return bool(highlight[1].strip())


def _has_title(text: str) -> bool:
    if ">>" not in text:
        return False
    return any(map(_is_title, _TITLE_TO_LINE_END.findall(text)))


def _is_title(line: str) -> bool:
    # The official pattern wants a character between the brackets, which may itself be a bracket.
    end = line.rfind(">>")
    return end >= 3 and bool(line[:end].lstrip("<").rstrip(">").strip())  # noqa: PLR2004 - two brackets and that
