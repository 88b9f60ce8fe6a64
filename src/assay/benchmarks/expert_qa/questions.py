"""Questions with their answers, from JSON lines or from the text of a PDF."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from assay.domain.calls.messages import Json
from assay.domain.errors import BadRowError, DataMissingError, InvalidValueError, MissingExtraError

_MOST_BYTES = 32 * 1024 * 1024
_MOST_PAGES = 1_000
_MOST_QUESTIONS = 10_000
_KEYS = frozenset({"number", "question", "answer", "category"})
_NUMBERED = re.compile(r"(?m)^[ \t]*(?:Question[ \t]+)?(\d{1,5})[.):][ \t]*")
_ANSWER = re.compile(r"(?mi)^[ \t]*Answer[ \t]*:[ \t]*")


@dataclass(frozen=True, slots=True)
class Question:
    number: int
    text: str
    answer: str
    category: str | None = None

    @property
    def asks_for_a_number(self) -> bool:
        return re.fullmatch(r"[-+]?\d[\d,]*(?:\.\d+)?", self.answer.strip()) is not None


def read_questions(path: Path) -> tuple[Question, ...]:
    """Raises UsageError that names the line or the question that cannot be used."""
    if not path.is_file():
        raise DataMissingError(f"no file {str(path)!r} with questions")
    if path.stat().st_size > _MOST_BYTES:
        raise InvalidValueError(f"{str(path)!r} is larger than {_MOST_BYTES // 1024**2} MiB")
    rows = _of_pdf(path) if path.suffix.lower() == ".pdf" else _of_lines(path)
    found: dict[int, Question] = {}
    for line, question in rows:
        if question.number in found:
            raise BadRowError(path.name, line, f"question {question.number} is there twice")
        if len(found) >= _MOST_QUESTIONS:
            raise InvalidValueError(f"{str(path)!r} has more than {_MOST_QUESTIONS:,} questions")
        found[question.number] = question
    if not found:
        raise InvalidValueError(f"{str(path)!r} holds no questions")
    return tuple(found.values())


def _of_lines(path: Path) -> Iterator[tuple[int, Question]]:
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidValueError(
            f"{str(path)!r} is not UTF-8: {error.reason} at byte {error.start}"
        ) from error
    number = 0
    for line, text in enumerate(lines, start=1):
        if text.strip():
            number += 1
            yield line, _question(path.name, line, text, number)


def _question(file: str, line: int, text: str, position: int) -> Question:
    try:
        row = cast("Json", json.loads(text))
    except (ValueError, RecursionError) as error:
        raise BadRowError(file, line, f"not valid JSON: {error}") from error
    if not isinstance(row, dict):
        raise BadRowError(file, line, "a JSON object was expected")
    if unknown := sorted(row.keys() - _KEYS):
        raise BadRowError(file, line, f"unknown field {unknown[0]!r}; known: {', '.join(sorted(_KEYS))}")
    number, category = row.get("number", position), row.get("category")
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise BadRowError(file, line, 'field "number" must be a whole number from 1 on')
    if category is not None and not isinstance(category, str):
        raise BadRowError(file, line, 'field "category" must be a text')
    return Question(number, _text(file, line, row, "question"), _text(file, line, row, "answer"), category)


def _text(file: str, line: int, row: dict[str, Json], key: str) -> str:
    value = row.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool) and key == "answer":
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise BadRowError(file, line, f'field "{key}" must be a text')
    return value.strip()


def _of_pdf(path: Path) -> Iterator[tuple[int, Question]]:
    """Numbered questions, each followed by a line that begins with `Answer:`."""
    text = _text_of_pdf(path)
    starts = list(_NUMBERED.finditer(text))
    for position, start in enumerate(starts):
        end = starts[position + 1].start() if position + 1 < len(starts) else len(text)
        parts = _ANSWER.split(text[start.end() : end])
        if len(parts) != 2 or not parts[0].strip() or not parts[1].strip():  # noqa: PLR2004 - question and answer
            reason = f"question {start[1]} of {path.name!r} must have one line that begins with 'Answer:'"
            raise InvalidValueError(f"{reason}; give the questions as JSON lines instead")
        yield position + 1, Question(int(start[1]), _joined(parts[0]), _joined(parts[1]))


def _joined(text: str) -> str:
    return " ".join(text.split())


def _text_of_pdf(path: Path) -> str:
    try:
        from pypdf import PdfReader  # noqa: PLC0415 - an extra
        from pypdf.errors import PyPdfError  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("reading questions from a PDF", "qa") from error
    try:
        pages = PdfReader(path).pages
        if len(pages) > _MOST_PAGES:
            raise InvalidValueError(f"{str(path)!r} has more than {_MOST_PAGES:,} pages")
        return "\n".join(page.extract_text() for page in pages)
    except (PyPdfError, ValueError, RecursionError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise InvalidValueError(f"the text of {str(path)!r} cannot be read: {error}") from error
