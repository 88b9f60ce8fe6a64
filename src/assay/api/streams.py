"""Streamed responses."""

from collections.abc import AsyncIterator, Mapping
from urllib.parse import quote

import orjson
from fastapi.responses import StreamingResponse

from assay.api.schemas.fields import json_object
from assay.domain.calls.messages import Json

JSONL = "application/jsonl"
CSV = "text/csv; charset=utf-8"
_PIECE_BYTES = 64 * 1024


def file_response(content: AsyncIterator[str | bytes], *, name: str, media_type: str) -> StreamingResponse:
    """A download whose file name is escaped for the header."""
    stem, _, suffix = name.rpartition(".")
    ascii_stem = "".join(char if char.isascii() and char.isalnum() else "_" for char in stem)
    disposition = f"attachment; filename=\"{ascii_stem}.{suffix}\"; filename*=UTF-8''{quote(name, safe='')}"
    return StreamingResponse(
        _in_pieces(content), media_type=media_type, headers={"Content-Disposition": disposition}
    )


def json_response(head: str, documents: AsyncIterator[Mapping[str, Json]], tail: str) -> StreamingResponse:
    """One JSON document with a list of any length between head and tail."""

    async def content() -> AsyncIterator[str | bytes]:
        yield head
        separator = b""
        async for document in documents:
            yield separator + json_bytes(document)
            separator = b","
        yield tail

    return StreamingResponse(_in_pieces(content()), media_type="application/json")


async def json_lines(documents: AsyncIterator[Mapping[str, Json]]) -> AsyncIterator[bytes]:
    async for document in documents:
        yield json_bytes(document) + b"\n"


def json_bytes(document: Mapping[str, Json]) -> bytes:
    try:
        return orjson.dumps(document, default=dict)
    except orjson.JSONEncodeError:
        # Models write unpaired surrogates, which UTF-8 cannot encode.
        return orjson.dumps(json_object(document))


async def _in_pieces(content: AsyncIterator[str | bytes]) -> AsyncIterator[bytes]:
    """Join lines into larger pieces, because each piece costs an iteration of the event loop."""
    piece = bytearray()
    async for part in content:
        piece += part.encode("utf-8", "replace") if isinstance(part, str) else part
        if len(piece) >= _PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)
