"""Column types that mean the same on SQLite and on Postgres.

They override `bind_processor` and `result_processor`, not `process_bind_param` and `process_result_value`,
which would wrap each conversion in two more calls: attempts are written and read by the thousand.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Protocol, TypeVar

from sqlalchemy import TIMESTAMP, BigInteger, Dialect, Numeric, String, Text
from sqlalchemy.types import TypeDecorator

from assay.adapters.store.database.stored_values import (
    MARK,
    original,
    stored_amount_text,
    stored_moment,
    stored_moment_text,
    stored_text,
)
from assay.domain.calls.messages import MAX_TOKENS
from assay.domain.calls.pricing import known_usd

_T_contra = TypeVar("_T_contra", contravariant=True)
_T_co = TypeVar("_T_co", covariant=True)


class _Convert(Protocol[_T_contra]):
    def __call__(self, value: _T_contra | None) -> object: ...


class _Restore(Protocol[_T_co]):
    def __call__(self, value: Any) -> _T_co | None: ...  # noqa: ANN401 # as the driver gives it


class FreeText(TypeDecorator[str]):
    """Text from outside: any Python string is read back unchanged."""

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> _Convert[str]:  # noqa: ARG002
        return stored_text

    def result_processor(self, dialect: Dialect, coltype: object) -> _Restore[str]:  # noqa: ARG002
        def convert(value: str | None) -> str | None:
            return value if value is None or MARK not in value else original(value)

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
        return stored_moment if dialect.name == "postgresql" else stored_moment_text

    def result_processor(self, dialect: Dialect, coltype: object) -> _Restore[datetime]:  # noqa: ARG002
        def convert(value: datetime | None) -> datetime | None:
            return None if value is None else value.astimezone(UTC)

        def convert_text(value: str | None) -> datetime | None:
            return None if value is None else datetime.fromisoformat(value)

        return convert if dialect.name == "postgresql" else convert_text


class Amount(TypeDecorator[Decimal]):
    """Money without rounding: NUMERIC on Postgres, digits as text on SQLite, which has binary floats only.

    Older versions stored what an endpoint reported as it was, so what no call can cost is read as unknown.
    """

    impl = String().with_variant(Numeric(), "postgresql")
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> _Convert[Decimal] | None:
        return None if dialect.name == "postgresql" else stored_amount_text

    def result_processor(self, dialect: Dialect, coltype: object) -> _Restore[Decimal]:  # noqa: ARG002
        def convert(value: Decimal | str | None) -> Decimal | None:
            return None if value is None else known_usd(Decimal(value))

        return convert


class TokenCount(TypeDecorator[int]):
    """A number of tokens; one that no call can have used is read as unknown."""

    impl = BigInteger
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> _Restore[int]:  # noqa: ARG002
        def convert(value: int | None) -> int | None:
            return value if value is None or value <= MAX_TOKENS else None

        return convert
