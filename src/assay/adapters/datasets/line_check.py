"""Reads a file of lines once, at constant memory: what it contains and what is wrong with it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

import orjson

from assay.adapters.datasets.file_kind import NEEDED_BYTES, mistaken_kind
from assay.adapters.datasets.line_index import IndexBuilder
from assay.domain.calls.messages import Json, Prompt
from assay.domain.dataset_report import MAX_FAULTS, MAX_PREVIEWS, Fault, Grading, Preview, Report
from assay.domain.datasets.dataset import Line
from assay.domain.errors import GraderError
from assay.domain.json_value import MAX_VALUES, has_too_many_values
from assay.engine.datasets.files import FaultOf
from assay.engine.datasets.lines import KNOWN_FIELDS, LineFaultError, LinePlace, parsed_line

MAX_LINE_BYTES = 16 * 1024 * 1024
# While a file is checked, 16 bytes are kept for each line, and the id and category of each item.
MAX_LINES = 10_000_000
MAX_NAMES_BYTES = 256 * 1024 * 1024
TOO_MANY_VALUES = f"has more than {MAX_VALUES:,} values"
_MAX_NOTES = 50
# What is nested deeper cannot be written as JSON again by every library on its way.
_MAX_LEVELS = 100
BOM = b"\xef\xbb\xbf"
_SKIPPED_AT_ONCE = 1024 * 1024
_PREVIEW_CHARACTERS = 200
_MAX_MODELS = 20
_SHOWN_ID = 80
# Options that change the reply in ways that are not stored.
_NOT_STORED = ("logprobs", "top_logprobs", "audio")


def too_many_lines() -> str:
    return f"the file has more than {MAX_LINES:,} lines; split it"


@dataclass(slots=True)
class _Faults:
    """Keeps the first hundred faults and counts the rest."""

    kept: list[Fault] = field(default_factory=list[Fault])
    count: int = 0

    def add(self, line: int, about: str, reason: str) -> None:
        self.count += 1
        if len(self.kept) < MAX_FAULTS:
            self.kept.append(Fault(line, about, reason))


class LineCheck:
    """Builds the index and the report of a file."""

    def __init__(self, file: BinaryIO, grading: Grading, fault_of: FaultOf) -> None:
        self.index = IndexBuilder()
        self._file = file
        self._grading = grading
        self._fault_of = fault_of
        self._errors, self._warnings = _Faults(), _Faults()
        self._graders: Counter[Grading] = Counter()
        self._models: dict[str, None] = {}
        self._previews: list[Preview] = []
        self._notes: Counter[str] = Counter()
        self._first_line: dict[str, int] = {}

    def run(self, *, sha256: str, size_bytes: int) -> Report:
        beginning = self._file.read(NEEDED_BYTES)
        self._file.seek(0)
        if mistake := mistaken_kind(beginning):
            self._errors.add(0, "file", mistake)
        else:
            self._read_lines(beginning)
            if not self._errors.count and not len(self.index):
                self._errors.add(0, "file", "the file is empty")
        self._add_warnings()
        return Report(
            sha256=sha256,
            size_bytes=size_bytes,
            count=len(self.index),
            errors=tuple(self._errors.kept),
            error_count=self._errors.count,
            warnings=tuple(self._warnings.kept),
            warning_count=self._warnings.count,
            graders=dict(self._graders),
            models=tuple(self._models),
            previews=tuple(self._previews),
        )

    def _read_lines(self, beginning: bytes) -> None:
        offset = number = 0
        if beginning.startswith(BOM):
            self._note(1, "the file begins with a byte order mark, which is left out")
            offset = self._file.seek(len(BOM))
        while raw := self._file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if fault := self._limit_reached(number):
                self._errors.add(number, "file", fault)
                return
            length = len(raw)
            if length > MAX_LINE_BYTES and not raw.endswith(b"\n"):
                length += self._skip_line()
                reason = f"is longer than {MAX_LINE_BYTES // 1024**2} MiB; does the file have line breaks?"
                self._errors.add(number, "line", reason)
                self.index.skip()
            elif not self._take(raw, number, offset):
                return
            offset += length

    def _limit_reached(self, number: int) -> str | None:
        if number > MAX_LINES:
            return too_many_lines()
        if self.index.names_bytes > MAX_NAMES_BYTES:
            return f"its ids and categories take more than {MAX_NAMES_BYTES // 1024**2} MiB; split it"
        return None

    def _skip_line(self) -> int:
        skipped = 0
        while rest := self._file.readline(_SKIPPED_AT_ONCE):
            skipped += len(rest)
            if rest.endswith(b"\n"):
                break
        return skipped

    def _take(self, raw: bytes, number: int, offset: int) -> bool:
        """False if the rest of the file is better not read."""
        text = raw.rstrip(b"\r\n")
        if raw.endswith(b"\r\n"):
            self._note(number, "lines end with carriage return and line feed; both are left out")
        if not text.strip():
            self._note(number, "blank lines are left out")
            self.index.skip()
            return True
        try:
            content = _parsed(text)
            line = self._checked(content, number)
            before = self.index.seen.add(line.item_id, number)
            if before is not None:
                reason = f"{line.item_id[:_SHOWN_ID]!r} is on line {before:,} already"
                raise LineFaultError("custom_id", reason)  # noqa: TRY301 # one way to tell of any fault
        except LineFaultError as fault:
            self._errors.add(number, fault.field, fault.reason)
            self.index.skip()
            return True
        except GraderError as error:
            reason = f"cannot be checked ({error.message}); the lines after this one were not checked"
            self._errors.add(number, "expected", reason)
            return False
        self.index.add(line.item_id, offset=offset, length=len(text), category=line.category)
        self._count(line, content, number)
        return True

    def _checked(self, content: Json, number: int) -> Line:
        line = parsed_line(content, LinePlace(number, self._grading))
        for rule in line.rules:
            expected = line.expected if rule.expected is None else rule.expected
            if rule.needs_expected and (fault := self._fault_of(rule.grader, expected)):
                raise LineFaultError("expected", fault)
        return line

    def _count(self, line: Line, content: Json, number: int) -> None:
        for place, rule in enumerate(line.rules):
            self._graders[rule.grader] += place == 0
        model = line.body.get("model")
        if isinstance(model, str) and len(self._models) < _MAX_MODELS:
            self._models.setdefault(model)
        if len(self._previews) < MAX_PREVIEWS:
            prompt = Prompt.of_body(line.body).text[:_PREVIEW_CHARACTERS]
            self._previews.append(Preview(line.item_id, model if isinstance(model, str) else None, prompt))
        if isinstance(content, dict) and not content.keys() <= KNOWN_FIELDS:
            self._note(
                number,
                f"the field {min(content.keys() - KNOWN_FIELDS)[:_SHOWN_ID]!r} is not known and left out",
            )
        for name in _NOT_STORED:
            if line.body.get(name):
                self._note(
                    number, f"the requests ask for {name!r}, which is sent but not kept with the answers"
                )

    def _note(self, number: int, reason: str) -> None:
        """Warned about once per file, with the number of the first such line."""
        if reason not in self._notes and len(self._notes) >= _MAX_NOTES:
            reason = "there are further oddities like these"
        self._notes[reason] += 1
        self._first_line.setdefault(reason, number)

    def _add_warnings(self) -> None:
        for reason, count in self._notes.items():
            lines = f" ({count:,} lines)" if count > 1 else ""
            self._warnings.add(self._first_line[reason], "line", reason + lines)


def _parsed(text: bytes) -> Json:
    if has_too_many_values(text):
        raise LineFaultError("line", TOO_MANY_VALUES)
    try:
        content: Json = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        try:
            text.decode()
        except UnicodeDecodeError as wrong:
            reason = f"byte {wrong.start + 1:,} is not UTF-8: save the file in that encoding"
            raise LineFaultError("line", reason) from wrong
        raise LineFaultError("line", f"is not JSON: {error.msg}, at character {error.pos + 1:,}") from error
    if text.count(b"[") + text.count(b"{") > _MAX_LEVELS and _levels(content) > _MAX_LEVELS:
        raise LineFaultError("line", f"is nested more than {_MAX_LEVELS} levels deep")
    return content


def _levels(content: Json) -> int:
    levels, inside = 0, [content]
    while inside := [part for value in inside for part in _parts(value)]:
        levels += 1
    return levels


def _parts(value: Json) -> Iterable[Json]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
