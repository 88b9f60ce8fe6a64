"""Instructions that ask for a layout: lists, lines, nesting, quotes, templates."""

import re
import string
from collections import defaultdict, deque
from collections.abc import Callable
from functools import cache
from itertools import islice, pairwise

from assay.benchmarks.ifbench.marks import MARKS, MARKS_AND_SPACE, without_marks
from assay.domain.errors import MissingExtraError
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.english.words import words
from assay.engine.graders.instructions.arguments import Arguments

_LETTER_OPTIONS = re.compile(r"\W*[aA]\W*[bB]\W*[cC]\W*")
_SEPARATORS = ("/", "or")
_NOT_QUOTING = string.digits + MARKS.replace('"', "")
_TEMPLATE = ("My Answer:", "My Conclusion:", "Future Outlook:")
_OPENERS, _CLOSERS = ("<i>", "<em>"), ("</i>", "</em>")
_BRACKET, _OPENING_OF = re.compile(r"[()\[\]{}]"), {")": "(", "]": "[", "}": "{"}
_QUOTE = re.compile("[\"']")
_LEAST_MARKERS = _LEAST_SENTENCES = _LEAST_BULLETS = 2
_LEAST_BRACKETS, _LEAST_QUOTES = 5, 3


def options(response: str, arguments: Arguments) -> bool:
    listed = arguments.text("options")
    separator = next((mark for mark in _SEPARATORS if mark in listed), ",")
    choices = [choice.strip() for choice in listed.split(separator)]
    if _LETTER_OPTIONS.match(listed):
        return response in choices
    return _bare_lower(response) in map(_bare_lower, choices)


def _bare_lower(text: str) -> str:
    return text.strip(MARKS_AND_SPACE).lower()


def newline(response: str, _arguments: Arguments) -> bool:
    """As many lines as words. Officially a line of blanks is a line, and an empty one is not."""
    text = without_marks(response).strip()
    return sum(1 for line in text.split("\n") if line) == len(text.split())


def emoji(response: str, _arguments: Arguments) -> bool:
    """An emoji that follows a sentence's mark opens the next sentence, and counts for the one before."""
    is_emoji = emoji_test()
    texts = (without_marks(sentence).strip() for sentence in sentences(response))
    text = next(texts, None)
    while text is not None:
        following = next(texts, None)
        # Many an emoji ends in a variation selector, which is no emoji itself.
        if not any(map(is_emoji, text[-2:])) and not (text and following and is_emoji(following[0])):
            return False
        text = following
    return True


@cache
def emoji_test() -> Callable[[str], bool]:
    try:
        from emoji import is_emoji  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the emoji check of IFBench", "ifbench") from error
    return is_emoji


def quote_unquote(response: str, _arguments: Arguments) -> bool:
    solid = "".join(response.replace("'\"'", "").split())
    return '""' not in solid and not solid.strip(_NOT_QUOTING).endswith('"')


def marked_list(response: str, arguments: Arguments) -> bool:
    return response.count(arguments.text("sep")) >= _LEAST_MARKERS


def thesis(response: str, _arguments: Arguments) -> bool:
    # Officially the lengths of <i> and </i> are cut off whichever tag was found.
    start = _first_found(response, _OPENERS)
    end = _first_found(response, _CLOSERS, start) if start >= 0 else -1
    if end < 0:
        return False
    return bool(response[start + 3 : end].strip() and response[end + 4 :].strip())


def _first_found(text: str, tags: tuple[str, ...], start: int = 0) -> int:
    return next((found for tag in tags if (found := text.find(tag, start)) >= 0), -1)


def sub_bullets(response: str, _arguments: Arguments) -> bool:
    return all("-" in bullet for bullet in response.split("*")[1:])


def no_bullets_bullets(response: str, _arguments: Arguments) -> bool:
    """Sentences, then bullets: a second paragraph, or any line after the first bullet, breaks it."""
    sentence_count = bullet_count = 0
    is_prose = True
    for line in map(str.strip, response.split("\n")):
        if line.startswith("*"):
            if sentence_count < _LEAST_SENTENCES:
                return False
            is_prose = False
            bullet_count += 1
        elif is_prose:
            if sentence_count < _LEAST_SENTENCES:
                sentence_count += len(list(islice(sentences(line), _LEAST_SENTENCES)))
            is_prose = bool(line)
        else:
            return False
    return bullet_count >= _LEAST_BULLETS


def title_case(response: str, _arguments: Arguments) -> bool:
    return not any(map(_is_lower_case, words(response)))


def _is_lower_case(word: str) -> bool:
    rest = word[1:]
    return word[0].isalpha() and word[0].islower() and (not rest or rest.isupper() or rest.islower())


def output_template(response: str, _arguments: Arguments) -> bool:
    return all(label in response for label in _TEMPLATE)


def no_whitespace(response: str, _arguments: Arguments) -> bool:
    return not any(map(str.isspace, response))


def parentheses(response: str, _arguments: Arguments) -> bool:
    """Five brackets open at once, and one of them closed; a bracket that closes none starts all over."""
    opened: list[str] = []
    for bracket in _BRACKET.findall(response):
        if bracket in "([{":
            opened.append(bracket)
        elif not opened or opened[-1] != _OPENING_OF[bracket]:
            opened.clear()
        elif len(opened) >= _LEAST_BRACKETS:
            return True
        else:
            opened.pop()
    return False


def quotes(response: str, _arguments: Arguments) -> bool:
    """Three levels closed since the deepest; the deepest is never forgotten."""
    opened: list[str] = []
    deepest = 0
    for quote in _QUOTE.findall(response):
        if opened and quote == opened[-1]:
            opened.pop()
            if deepest - len(opened) >= _LEAST_QUOTES:
                return True
        else:
            opened.append(quote)
            deepest = max(deepest, len(opened))
    return False


def line_indent(response: str, _arguments: Arguments) -> bool:
    indents = [len(line) - len(line.lstrip(" ")) for line in _stairs(response.split("\n"))]
    return all(lower < higher for lower, higher in pairwise(indents))


def _stairs(lines: list[str]) -> list[str]:
    """The lines without the blank ones that the official scorer removes.

    It removes from the list that it iterates over: after each blank line it skips the next line, and it
    removes the first of equal blank lines, whichever it met.
    """
    met: dict[str, deque[int]] = defaultdict(deque)
    removed: set[int] = set()
    is_skipped = False
    for index, line in enumerate(lines):
        is_blank = not line.strip()
        if is_blank:
            met[line].append(index)
        if is_blank and not is_skipped:
            removed.add(met[line].popleft())
            is_skipped = True
        else:
            is_skipped = False
    return [line for index, line in enumerate(lines) if index not in removed]
