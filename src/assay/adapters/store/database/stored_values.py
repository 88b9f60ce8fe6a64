"""Values as the databases store them; imports no database library, which takes long to load."""

import re
from datetime import UTC, datetime
from decimal import Decimal

# Postgres refuses NUL in a text and UTF-8 has no form for half a surrogate pair, but models write both.
# Each such character is stored as this mark and four hex digits of its code, and so is the mark itself.
MARK = "\x1a"
_UNSTORABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


def storable(text: str) -> str:
    """The same text without the characters a database refuses; `original` undoes it."""
    if text.isascii() and "\x00" not in text and MARK not in text:
        return text
    return _UNSTORABLE.sub(lambda found: f"{MARK}{ord(found[0]):04x}", text)


def original(text: str) -> str:
    if MARK not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def in_utc(value: datetime) -> datetime:
    if value.tzinfo is UTC:
        return value
    if value.tzinfo is None:
        raise ValueError(f"a time without a time zone cannot be stored: {value!r}")
    return value.astimezone(UTC)


def stored_text(value: str | None) -> str | None:
    return None if value is None else storable(value)


def stored_moment(value: datetime | None) -> datetime | None:
    return None if value is None else in_utc(value)


def stored_moment_text(value: datetime | None) -> str | None:
    return None if value is None else in_utc(value).isoformat(timespec="microseconds")


def stored_amount_text(value: Decimal | None) -> str | None:
    return None if value is None else str(value)
