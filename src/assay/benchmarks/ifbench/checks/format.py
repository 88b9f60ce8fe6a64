import re
import string
from collections.abc import Callable
from functools import cache
from itertools import chain, islice, pairwise
from typing import NamedTuple

from assay.benchmarks.ifbench.marks import MARKS, MARKS_AND_SPACE, without_marks
from assay.domain.errors import MissingExtraError
from assay.engine.graders.english.characters import without
from assay.engine.graders.english.repetition import condensed
from assay.engine.graders.english.seams import chunks
from assay.engine.graders.english.sentences import sentence_stream
from assay.engine.graders.english.token_bounds import may_open_lower
from assay.engine.graders.english.words import leading_words, words
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import is_lower_of

_LETTER_OPTIONS = re.compile(r"\W*[aA]\W*[bB]\W*[cC]\W*")
_SEPARATORS = ("/", "or")
_NOT_QUOTING = (string.digits + MARKS.replace('"', "") + string.whitespace + "\x1c\x1d\x1e\x1f").encode(
    "ascii"
)
_TOUCHING_QUOTES = re.compile(r'"\s*+"')
_PLAIN_LOWER_CASE = re.compile(r"(?<!\S)(?!cannot|gimme|gonna|gotta|lemme|wanna)[a-z]++(?!\S)")
_WITHOUT_SUB_BULLET = re.compile(r"\*[^*-]*+(?:\*|\Z)")
_TEMPLATE = ("My Answer:", "My Conclusion:", "Future Outlook:")
_OPENERS, _CLOSERS = ("<i>", "<em>"), ("</i>", "</em>")
_EARLY_WORDS = 50
_LEAST_MARKERS = _LEAST_SENTENCES = 2


def options(answer: Answer, arguments: Arguments) -> bool:
    listed = arguments.text("options")
    separator = next((mark for mark in _SEPARATORS if mark in listed), ",")
    choices = [choice.strip() for choice in listed.split(separator)]
    if _LETTER_OPTIONS.match(listed):
        return answer.text in choices
    bare = answer.text.strip(MARKS_AND_SPACE)
    return any(is_lower_of(choice.strip(MARKS_AND_SPACE).lower(), bare) for choice in choices)


def newline(answer: Answer, _arguments: Arguments) -> bool:
    """As many lines as words. Officially a line of blanks is a line, and an empty one is not."""
    parts = answer.facts_whatever_stars(_line_counts)
    # At the ends of the text lines of blanks are not counted.
    filled = [number for number, part in enumerate(parts) if part.words]
    if not filled:
        return True
    within = parts[filled[0] : filled[-1] + 1]
    lines = sum(part.lines for part in within) - within[0].blank_before - within[-1].blank_after
    return lines == sum(part.words for part in within)


def emoji(answer: Answer, _arguments: Arguments) -> bool:
    """An emoji that follows a sentence's mark opens the next sentence, and counts for the one before."""
    is_emoji = emoji_test()
    sentences = sentence_stream(condensed(answer.text), {})
    texts = (without_marks(sentence).strip() for sentence in sentences)
    for text, following in pairwise(chain(texts, [""])):
        if not text:
            return False
        # Many an emoji ends in a selector of its variant, which is no emoji itself.
        if any(map(is_emoji, text[-2:])):
            continue
        if not following or not is_emoji(following[0]):
            return False
    return True


def quote_unquote(answer: Answer, _arguments: Arguments) -> bool:
    text = answer.text.replace("'\"'", "")
    if _TOUCHING_QUOTES.search(text):
        return False
    return not without(text, _NOT_QUOTING).rstrip().endswith('"')


def marked_list(answer: Answer, arguments: Arguments) -> bool:
    return answer.text.count(arguments.text("sep")) >= _LEAST_MARKERS


def thesis(answer: Answer, _arguments: Arguments) -> bool:
    # Officially the lengths of <i> and </i> are cut off whichever tag was found.
    start = _first_found(answer.text, _OPENERS)
    end = _first_found(answer.text, _CLOSERS, start) if start >= 0 else -1
    if end < 0:
        return False
    return bool(answer.text[start + 3 : end].strip() and answer.text[end + 4 :].strip())


def sub_bullets(answer: Answer, _arguments: Arguments) -> bool:
    return not _WITHOUT_SUB_BULLET.search(answer.text)


def no_bullets_bullets(answer: Answer, _arguments: Arguments) -> bool:
    """Sentences, then bullets: a second paragraph, or any line after the first bullet, breaks it."""
    *_, next_to_last, last = ["", *answer.text.rsplit("\n", 2)]
    if not last.strip().startswith("*") or not next_to_last.strip().startswith("*"):
        return False
    sentence_count = 0
    lines = map(str.strip, answer.text.split("\n"))
    for line in lines:
        if not line or line.startswith("*"):
            break
        sentence_count += _sentence_count(line, _LEAST_SENTENCES - sentence_count)
    return sentence_count >= _LEAST_SENTENCES and all(line.startswith("*") for line in lines)


def title_case(answer: Answer, _arguments: Arguments) -> bool:
    if any(answer.facts(_has_plain_lower_case_word)):
        return False
    return not any(stretch.fact(_has_lower_case_word) for stretch in answer.stretches())


def output_template(answer: Answer, _arguments: Arguments) -> bool:
    return all(label in answer.text for label in _TEMPLATE)


def no_whitespace(answer: Answer, _arguments: Arguments) -> bool:
    first = answer.text.split(None, 1)[:1]
    return not answer.text or bool(first and len(first[0]) == len(answer.text))


class _LineCounts(NamedTuple):
    words: int
    lines: int
    blank_before: int
    blank_after: int


def _line_counts(text: str) -> _LineCounts:
    bare = without_marks(text)
    words = len(bare.split())
    before = bare[: len(bare) - len(bare.lstrip())]
    after = bare[len(bare.rstrip()) :]
    # The last line before the first word, and the first after the last, go on with a word.
    blank_before, blank_after = _filled(before.split("\n")[:-1]), _filled(after.split("\n")[1:])
    return _LineCounts(words, _filled(bare.split("\n")), blank_before, blank_after)


def _filled(lines: list[str]) -> int:
    return len(lines) - lines.count("")


def _sentence_count(line: str, most: int) -> int:
    return sum(1 for _ in islice(sentence_stream(line, {}), max(most, 0)))


def _has_plain_lower_case_word(text: str) -> bool:
    """Whether a word that no rule of the tokenizer changes is in lower case."""
    return bool(_PLAIN_LOWER_CASE.search(condensed(text)))


def _has_lower_case_word(text: str) -> bool:
    text = condensed(text)
    # Most of what has such a word has one early.
    if any(map(_is_lower_case, leading_words(text, _EARLY_WORDS))):
        return True
    return any(may_open_lower(chunk) and any(map(_is_lower_case, words(chunk))) for chunk in chunks(text))


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
