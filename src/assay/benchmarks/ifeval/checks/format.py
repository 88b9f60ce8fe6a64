import json
import re

from assay.engine.graders.instructions.arguments import Arguments

_OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_HIGHLIGHT = re.compile(r"\*([^\n*]*)\*")
_DOUBLE_HIGHLIGHT = re.compile(r"\*\*([^\n*]*)\*\*")
_FENCES = ("```json", "```Json", "```JSON", "```")


def number_bullet_lists(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("num_bullets")
    lines = [line.lstrip() for line in response.split("\n")]
    return _starred(lines) + sum(line.startswith("-") for line in lines) == wanted


def constrained_response(response: str, _arguments: Arguments) -> bool:
    return any(option in response for option in _OPTIONS)


def number_highlighted_sections(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("num_highlights")
    highlights = _HIGHLIGHT.findall(response) + _DOUBLE_HIGHLIGHT.findall(response)
    return sum(1 for highlight in highlights if highlight.strip()) >= wanted


def multiple_sections(response: str, arguments: Arguments) -> bool:
    splitter, wanted = arguments.text("section_spliter").strip(), arguments.count("num_sections")
    return len(arguments.pattern(rf"\s?{splitter}\s?\d+\s?").split(response)) > wanted


def json_format(response: str, _arguments: Arguments) -> bool:
    text = response.strip()
    for fence in _FENCES:
        text = text.removeprefix(fence)
    try:
        json.loads(text.removesuffix("```").strip())
    except (ValueError, RecursionError):  # the official scorer crashes on nesting too deep to read
        return False
    return True


def title(response: str, _arguments: Arguments) -> bool:
    return any(map(_has_title, response.split("\n")))


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


def _has_title(line: str) -> bool:
    start, end = line.find("<<"), line.rfind(">>")
    # The official pattern wants a character between the brackets, which may itself be a bracket.
    if start < 0 or end < start + 3:
        return False
    return bool(line[start:end].lstrip("<").rstrip(">").strip())
