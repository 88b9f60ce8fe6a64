import re
import string
from itertools import islice
from typing import NamedTuple

import numpy as np

from assay.benchmarks.ifbench.emoji_ends import close_with_emoji, closes_with_emoji, emoji_test, has_emoji
from assay.benchmarks.ifbench.marks import (
    MARKS,
    MARKS_AND_SPACE,
    stripped_before,
    stripped_behind,
    without_marks,
)
from assay.engine.graders.english.characters import without
from assay.engine.graders.english.code_points import are_blanks, codes_of, run_count
from assay.engine.graders.english.sentences import sentence_stream
from assay.engine.graders.english.word_kinds import SMALL_LETTERS
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import is_lower_of
from assay.engine.graders.instructions.word_counts import has_words

_LETTER_OPTIONS = re.compile(r"\W*[aA]\W*[bB]\W*[cC]\W*")
_SEPARATORS = ("/", "or")
_NOT_QUOTING = (string.digits + MARKS.replace('"', "") + string.whitespace + "\x1c\x1d\x1e\x1f").encode(
    "ascii"
)
_TOUCHING_QUOTES = re.compile(r'"\s*+"')
_WITHOUT_SUB_BULLET = re.compile(r"\*[^*-]*+(?:\*|\Z)")
_TEMPLATE = ("My Answer:", "My Conclusion:", "Future Outlook:")
_OPENERS, _CLOSERS = ("<i>", "<em>"), ("</i>", "</em>")
_LEAST_MARKERS = _LEAST_SENTENCES = 2


def options(answer: Answer, arguments: Arguments) -> bool:
    listed = arguments.text("options")
    separator = next((mark for mark in _SEPARATORS if mark in listed), ",")
    choices = [choice.strip() for choice in listed.split(separator)]
    if _LETTER_OPTIONS.match(listed):
        return answer.text in choices
    bare = stripped_behind(stripped_before(answer.text))
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
    emoji_test()  # says what to install, whatever was found before
    if not answer.sentences_agree(str, has_emoji, in_bulk=close_with_emoji):
        return False
    sentences = answer.sentences()
    last = sentences.nth(len(sentences))
    return last is None or closes_with_emoji(last)


def quote_unquote(answer: Answer, _arguments: Arguments) -> bool:
    text = answer.text.replace("'\"'", "")
    if _TOUCHING_QUOTES.search(text):
        return False
    return not without(text, _NOT_QUOTING).rstrip().endswith('"')


def marked_list(answer: Answer, arguments: Arguments) -> bool:
    return answer.text.count(arguments.text("sep")) >= _LEAST_MARKERS


def thesis(answer: Answer, _arguments: Arguments) -> bool:
    # Officially the lengths of <i> and </i> are cut off whichever tag was found.
    start = _first_found(answer, _OPENERS)
    end = _first_found(answer, _CLOSERS, start) if start >= 0 else -1
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
    return not has_words(answer, SMALL_LETTERS, 1)


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
    codes = codes_of(without_marks(text))
    are_ends, are_words = codes == ord("\n"), ~are_blanks(codes)
    places = np.flatnonzero(are_words)
    if not places.size:
        return _LineCounts(0, run_count(~are_ends), 0, 0)
    # The last line before the first word, and the first after the last, go on with a word.
    before, after = np.flatnonzero(are_ends[: places[0]]), np.flatnonzero(are_ends[places[-1] :])
    return _LineCounts(
        run_count(are_words),
        run_count(~are_ends),
        blank_before=run_count(~are_ends[: before[-1]]) if before.size else 0,
        blank_after=run_count(~are_ends[places[-1] + after[0] :]) if after.size else 0,
    )


def _sentence_count(line: str, most: int) -> int:
    return sum(1 for _ in islice(sentence_stream(line, {}), max(most, 0)))


def _first_found(answer: Answer, tags: tuple[str, ...], start: int = 0) -> int:
    """Where in its text the first of the tags is that it has, from there on."""
    return next((found for tag in tags if (found := _found(answer, tag, start)) >= 0), -1)


def _found(answer: Answer, tag: str, start: int) -> int:
    offset = -answer.lost_before
    for line in answer.lines:
        at = line.fact(str.find, tag, max(0, start - offset))
        if at >= 0:
            return offset + at
        offset += len(line.text) + 1
    return -1
