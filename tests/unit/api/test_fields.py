from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from assay.api.schemas.fields import FreeText, Moment, Schema, plain_json
from assay.domain.calls.messages import Json

any_text = st.text(st.characters())
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner).map(tuple) | st.dictionaries(any_text, inner),
)


class Note(Schema):
    text: FreeText = ""
    at: Moment | None = None


@given(any_text)
def test_any_text_a_model_writes_can_be_sent(text: str) -> None:
    sent = Note(text=text).text
    assert sent.encode() == sent.encode("utf-8", "surrogatepass")


def test_what_utf8_can_carry_stays_as_it_is() -> None:
    assert Note(text="naïve 🙂 \x00").text == "naïve 🙂 \x00"
    assert Note(text="cut \ud83d here").text == "cut � here"


@given(any_json)
def test_any_json_a_grader_writes_can_be_sent(value: Json) -> None:
    class Holder(Schema):
        value: object

    assert Holder(value=plain_json(value)).model_dump_json()


def test_times_are_sent_in_utc_with_a_z() -> None:
    there = datetime(2026, 1, 2, 14, 30, tzinfo=timezone(timedelta(hours=2)))
    assert '"2026-01-02T12:30:00Z"' in Note(at=there).model_dump_json()
    assert Note(at=there).at == datetime(2026, 1, 2, 12, 30, tzinfo=UTC)
