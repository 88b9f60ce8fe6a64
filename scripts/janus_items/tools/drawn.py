"""Numbers and ids that are the same on every machine and in every version of Python."""

import hashlib


def drawn(name: str, low: int, high: int) -> int:
    """A whole number from `low` to `high` that depends on the name alone."""
    digest = hashlib.blake2b(name.encode(), digest_size=8, person=b"janus-items").digest()
    return low + int.from_bytes(digest, "big") % (high - low + 1)


def drawn_id(kind: str, name: str) -> str:
    """An id that cannot be guessed from the name."""
    digest = hashlib.blake2b(f"{kind} {name}".encode(), digest_size=4, person=b"janus-ids")
    return f"{kind}_{digest.hexdigest()}"
