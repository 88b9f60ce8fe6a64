"""Column types that mean the same on SQLite and on Postgres.

They override `bind_processor` and `result_processor`, not `process_bind_param` and `process_result_value`,
which would wrap each conversion in two more calls: attempts are written and read by the thousand.
"""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Protocol, TypeVar

from sqlalchemy import Dialect, Numeric, String, Text
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.types import TypeDecorator

# Postgres refuses NUL in a text and UTF-8 has no form for half a surrogate pair, but models write both.
# Each such character is stored as this mark and four hex digits of its code, and so is the mark itself.
_MARK = "\x1a"
_UNSTORABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


_T_contra = TypeVar("_T_contra", contravariant=True)
_T_co = TypeVar("_T_co", covariant=True)


class _Convert(Protocol[_T_contra]):
    def __call__(self, value: _T_contra | None) -> object: ...


class _Restore(Protocol[_T_co]):
    def __call__(self, value: Any) -> _T_co | None: ...  # noqa: ANN401 # as the driver gives it


def storable(text: str) -> str:
    """The same text without the characters a database refuses; `original` undoes it."""
    if text.isascii() and "\x00" not in text and _MARK not in text:
        return text
    return _UNSTORABLE.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", text)


def original(text: str) -> str:
    if _MARK not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


class FreeText(TypeDecorator[str]):
    """Text from outside: any Python string comes back as it went in."""

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> _Convert[str]:  # noqa: ARG002
        def convert(value: str | None) -> str | None:
            return None if value is None else storable(value)

        return convert

    def result_processor(self, dialect: Dialect, coltype: object) -> _Restore[str]:  # noqa: ARG002
        def convert(value: str | None) -> str | None:
            return value if value is None or _MARK not in value else original(value)

        return convert


class Key(FreeText):
    """An id, sorted by code points on every database, whatever the server's locale."""

    impl = Text().with_variant(Text(collation="C"), "postgresql")
    cache_ok = True


class Moment(TypeDecorator[datetime]):
    """A time in UTC to the microsecond; on SQLite as ISO 8601 text of one width, which sorts by time."""

    impl = String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> _Convert[datetime]:
        def convert(value: datetime | None) -> datetime | None:
            return None if value is None else _in_utc(value)

        def convert_to_text(value: datetime | None) -> str | None:
            return None if value is None else _in_utc(value).isoformat(timespec="microseconds")

        return convert if dialect.name == "postgresql" else convert_to_text

    def result_processor(self, dialect: Dialect, coltype: object) -> _Restore[datetime]:  # noqa: ARG002
        def convert(value: datetime | None) -> datetime | None:
            return None if value is None else value.astimezone(UTC)

        def convert_text(value: str | None) -> datetime | None:
            return None if value is None else datetime.fromisoformat(value)

        return convert if dialect.name == "postgresql" else convert_text


class Amount(TypeDecorator[Decimal]):
    """Money without rounding: NUMERIC on Postgres, digits as text on SQLite, which has binary floats only."""

    impl = String().with_variant(Numeric(), "postgresql")
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> _Convert[Decimal] | None:
        def convert(value: Decimal | None) -> str | None:
            return None if value is None else str(value)

        return None if dialect.name == "postgresql" else convert

    def result_processor(self, dialect: Dialect, coltype: object) -> _Restore[Decimal] | None:  # noqa: ARG002
        def convert(value: str | None) -> Decimal | None:
            return None if value is None else Decimal(value)

        return None if dialect.name == "postgresql" else convert


def _in_utc(value: datetime) -> datetime:
    if value.tzinfo is UTC:
        return value
    if value.tzinfo is None:
        raise ValueError(f"a time without a time zone cannot be stored: {value!r}")
    return value.astimezone(UTC)
