"""Reads a file of any size from a multipart request, piece by piece."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from fastapi import Request
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from assay.api.errors import ProblemError, invalid

_WRITE_BYTES = 1024 * 1024
_MAX_FIELD_BYTES = 64 * 1024
_MAX_PARTS = 20
Write = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The name of the file, and the other fields of the form."""

    file_name: str
    fields: Mapping[str, str]


@dataclass(slots=True)
class _Part:
    name: str
    file_name: str | None
    content: bytearray = field(default_factory=bytearray)


class _Form:
    """What the parser has read; the content of the file is removed as it is written."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self.pending = bytearray()
        self.is_complete = False
        self._header = bytearray()
        self._value = bytearray()
        self._headers: dict[bytes, bytes] = {}

    @property
    def file(self) -> _Part | None:
        return next((part for part in self.parts if part.name == "file"), None)

    def on_end(self) -> None:
        self.is_complete = True

    def on_part_begin(self) -> None:
        self._headers = {}
        if len(self.parts) >= _MAX_PARTS:
            raise _malformed(f"it has more than {_MAX_PARTS} parts")

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        self._headers[bytes(self._header).lower()] = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def on_headers_finished(self) -> None:
        _kind, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        name = options.get(b"name", b"").decode("utf-8", "replace")
        file_name = options.get(b"filename")
        if name == "file" and self.file is not None:
            raise _malformed("it has two files; send one at a time")
        self.parts.append(_Part(name, None if file_name is None else file_name.decode("utf-8", "replace")))

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        part = self.parts[-1]
        if part.name == "file":
            self.pending += data[start:end]
            return
        part.content += data[start:end]
        if len(part.content) > _MAX_FIELD_BYTES:
            raise _malformed(f"its field {part.name[:80]!r} has more than {_MAX_FIELD_BYTES:,} bytes")


async def received_file(request: Request, write: Write) -> Uploaded:
    """Pass the content of the part named `file` to `write`, in a thread, while it is received."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise invalid("file", "send the file as multipart/form-data, in a part named 'file'")
    form = _Form()
    parser = MultipartParser(
        options[b"boundary"],
        {
            "on_part_begin": form.on_part_begin,
            "on_part_data": form.on_part_data,
            "on_header_field": form.on_header_field,
            "on_header_value": form.on_header_value,
            "on_header_end": form.on_header_end,
            "on_headers_finished": form.on_headers_finished,
            "on_end": form.on_end,
        },
    )
    try:
        async for piece in request.stream():
            parser.write(piece)
            if len(form.pending) >= _WRITE_BYTES:
                await _flush(form, write)
    except MultipartParseError as error:
        raise _malformed("the body is not valid multipart") from error
    if not form.is_complete:
        raise _malformed("the body ends too early")
    await _flush(form, write)
    if form.file is None:
        raise invalid("file", "the request has no part named 'file'")
    fields = {
        part.name: part.content.decode("utf-8", "replace") for part in form.parts if part.name != "file"
    }
    return Uploaded(form.file.file_name or "", fields)


async def _flush(form: _Form, write: Write) -> None:
    content, form.pending = bytes(form.pending), bytearray()
    await asyncio.to_thread(write, content)


def _malformed(reason: str) -> ProblemError:
    return ProblemError(
        HTTPStatus.BAD_REQUEST, f"the multipart request cannot be read: {reason}", code="bad-request"
    )
