import re
import string
from collections.abc import Callable
from functools import cache

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
_LEAST_MARKERS = _LEAST_SENTENCES = _LEAST_BULLETS = 2


def options(response: str, arguments: Arguments) -> bool:
    listed = arguments.text("options")
    separator = next((mark for mark in _SEPARATORS if mark in listed), ",")
    choices = [choice.strip() for choice in listed.split(separator)]
    if _LETTER_OPTIONS.match(listed):
        return response in choices
    return _bare_lower(response) in map(_bare_lower, choices)


def newline(response: str, _arguments: Arguments) -> bool:
    # Officially a line of blanks is a line, and an empty one is not.
    text = without_marks(response).strip()
    return sum(1 for line in text.split("\n") if line) == len(text.split())


def emoji(response: str, _arguments: Arguments) -> bool:
    """An emoji that follows a sentence's mark opens the next sentence, and counts for the one before."""
    is_emoji = emoji_test()
    texts = [without_marks(sentence).strip() for sentence in sentences(response)]
    for text, following in zip(texts, [*texts[1:], ""], strict=False):
        if not text:
            return False
        # Many an emoji ends in a selector of its variant, which is no emoji itself.
        if any(map(is_emoji, text[-2:])):
            continue
        if not following or not is_emoji(following[0]):
            return False
    return True


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
            found = len(sentences(line))
            sentence_count += found
            is_prose = found > 0
        else:
            return False
    return bullet_count >= _LEAST_BULLETS


def title_case(response: str, _arguments: Arguments) -> bool:
    return not any(map(_is_lower_case, words(response)))


def output_template(response: str, _arguments: Arguments) -> bool:
    return all(label in response for label in _TEMPLATE)


def no_whitespace(response: str, _arguments: Arguments) -> bool:
    return not any(map(str.isspace, response))


def _bare_lower(text: str) -> str:
    return text.strip(MARKS_AND_SPACE).lower()


def _first_found(text: str, tags: tuple[str, ...], start: int = 0) -> int:
    return next((found for tag in tags if (found := text.find(tag, start)) >= 0), -1)


def _is_lower_case(word: str) -> bool:
    rest = word[1:]
    return word[0].isalpha() and word[0].islower() and (not rest or rest.isupper() or rest.islower())


@cache
def emoji_test() -> Callable[[str], bool]:
    try:
        from emoji import is_emoji  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the emoji check of IFBench", "ifbench") from error
    return is_emoji
