import re
from collections.abc import Mapping
from itertools import islice

from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_MARKERS: Mapping[str, str] = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
_LONGEST_MARKER = 7
# A bracket that no other closes takes the rest of its line, so that the line is read once.
_BRACKETED = re.compile(r"\[[^\n\]]*+(\]?)")


def number_placeholders(answer: Answer, arguments: Arguments) -> bool:
    wanted = arguments.count("num_placeholders")
    return sum(answer.facts(_placeholders, wanted)) >= wanted


def postscript(answer: Answer, arguments: Arguments) -> bool:
    marker = arguments.text("postscript_marker").strip()
    pattern = arguments.pattern(_MARKERS.get(marker, marker.lower()), re.MULTILINE)
    if marker in _MARKERS:
        joints = (joint.lower() for joint in answer.joints(_LONGEST_MARKER))
        return any(answer.facts(_has_marker, pattern)) or any(map(pattern.search, joints))
    return bool(pattern.search(answer.text.lower()))


def _has_marker(text: str, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(text.lower()))


def _placeholders(text: str, most: int) -> int:
    r"""As many as `\[.*?\]` matches, but no more than asked about."""
    if "]" not in text:
        return 0
    return sum(1 for _ in islice(filter(_is_closed, _BRACKETED.finditer(text)), most))


def _is_closed(bracketed: re.Match[str]) -> bool:
    return bracketed.end(1) > bracketed.start(1)
