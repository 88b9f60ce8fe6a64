from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from assay.adapters.store.database.columns import Amount, Moment
from assay.adapters.store.database.stored_values import original, storable
from assay.domain.calls.pricing import MAX_USD

ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from("\x00\x1a\ud800\udfff0af")))
SQLITE = SQLiteDialect_pysqlite()
POSTGRES = PGDialect_psycopg()


@given(ANY_TEXT)
def test_any_text_is_stored_and_comes_back(text: str) -> None:
    stored = storable(text)
    assert "\x00" not in stored
    assert stored.encode().decode() == stored
    assert original(stored) == text


@given(st.text(st.characters(exclude_characters="\x00\x1a", exclude_categories=["Cs"])))
def test_ordinary_text_is_stored_as_it_is(text: str) -> None:
    assert storable(text) == text


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_are_stored_differently(one: str, other: str) -> None:
    assert (storable(one) == storable(other)) == (one == other)


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(timezone(timedelta(hours=-9)))))
def test_times_of_sqlite_sort_as_text(one: datetime, other: datetime) -> None:
    convert = Moment().bind_processor(SQLITE)
    texts = [str(convert(one)), str(convert(other))]
    assert (texts[0] < texts[1]) == (one < other)
    assert Moment().result_processor(SQLITE, None)(texts[0]) == one


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRES])
def test_a_time_without_a_zone_is_refused(dialect: SQLiteDialect_pysqlite | PGDialect_psycopg) -> None:
    with pytest.raises(ValueError, match="without a time zone"):
        Moment().bind_processor(dialect)(datetime(2026, 1, 1))  # noqa: DTZ001 - what is tested


@given(st.decimals(0, MAX_USD))
def test_amounts_are_exact(amount: Decimal) -> None:
    convert = Amount().bind_processor(SQLITE)
    assert convert is not None
    stored = convert(amount)
    assert isinstance(stored, str)
    restore = Amount().result_processor(SQLITE, None)
    assert restore is not None
    assert restore(stored) == amount
