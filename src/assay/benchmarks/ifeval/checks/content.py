import re
from collections.abc import Mapping

from assay.engine.graders.instructions.arguments import Arguments

_MARKERS: Mapping[str, str] = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}


def number_placeholders(response: str, arguments: Arguments) -> bool:
    wanted = arguments.count("num_placeholders")
    return sum(map(_placeholders, response.split("\n"))) >= wanted


def postscript(response: str, arguments: Arguments) -> bool:
    marker = arguments.text("postscript_marker").strip()
    pattern = arguments.pattern(_MARKERS.get(marker, marker.lower()), re.MULTILINE)
    return bool(pattern.search(response.lower()))


def _placeholders(line: str) -> int:
    r"""As many as `\[.*?\]` matches, without its quadratic time on unclosed brackets."""
    count = 0
    end = -1
    while (start := line.find("[", end + 1)) >= 0 and (end := line.find("]", start)) >= 0:
        count += 1
    return count
