"""Recognises files that were uploaded by mistake, by their first bytes."""

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or an Office document, which is one)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"SQLite format 3", "a SQLite database"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
    (b"<!DOCTYPE", "an HTML page"),
    (b"<!doctype", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"<?xml", "an XML document"),
)
NEEDED_BYTES = 512
_WANTED = "a data set is plain text in UTF-8 with one JSON object on each line (JSONL)"


def mistaken_kind(beginning: bytes) -> str | None:
    """A message if the file is clearly something else, or None."""
    for mark, kind in _BEGINNINGS:
        if beginning.startswith(mark):
            remedy = "; unpack it first" if "archive" in kind else ""
            return f"this is {kind}: {_WANTED}{remedy}"
    start = beginning.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"["):
        return f"this is one JSON array: {_WANTED}; `jq -c '.[]'` converts it"
    if b"\x00" in beginning:
        return f"this is not text: {_WANTED}"
    return None
