"""A function of SQL on SQLite that looks into a blob, which may be compressed."""

from collections.abc import Callable

import zstandard

from assay.domain.searching import lowered, readable

BLOB_HOLDS = "blob_holds"
_CONVERSATION = b"[{"


def blob_holds() -> Callable[[bytes, int, int, bytes], bool]:
    """For one connection: whether the text of a blob holds a part, given as UTF-8 in lower case."""
    decompress = zstandard.ZstdDecompressor().decompress

    def holds(content: bytes, is_compressed: int, size: int, part: bytes) -> bool:
        if not content and size:
            # It is in an object store, where an unsearched text was the same: the index has found it.
            return True
        text = decompress(content, max_output_size=size) if is_compressed else content
        if text.startswith(_CONVERSATION):
            shown = lowered(readable(text.decode("utf-8", "surrogatepass")))
            return part in shown.encode("utf-8", "surrogatepass")
        return part in text.lower()

    return holds
